import { type Static, Type } from 'typebox'
import { nullable, oneOf, STRICT } from './schema.ts'

/** What the owners' page and its backend say of the recovery of an owner who has lost all passkeys. */

const Id = Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' })
/** The word by which a browser goes on with its recovery. */
const Word = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })

export const RecoveryVisit = Type.Object({ visit: Id }, STRICT)

const ProvableCard = Type.Object({ card_id: Type.String(), brand: nullable(Type.String()), last4: Type.String() })
/** `recovery` null: the owner has no active card, so nothing was begun. */
export const RecoveryBegun = Type.Object({ recovery: nullable(Type.String()), cards: Type.Array(ProvableCard) })
export type RecoveryBegun = Static<typeof RecoveryBegun>

export const RecoveryRef = Type.Object({ recovery: Word }, STRICT)
export const RecoveryCard = Type.Object(
  { recovery: Word, card_id: Id, cvv: Type.String({ pattern: '^[0-9]{3,4}$' }) },
  STRICT,
)
export const RecoveryCode = Type.Object(
  { recovery: Word, code: Type.String({ minLength: 1, maxLength: 12, format: 'clean-text' }) },
  STRICT,
)
export const RecoveryAnswer = Type.Object({ recovery: Word, response: Type.Unknown() }, STRICT)
/** What the link of a mail holds. */
export const RecoveryStop = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 160, format: 'clean-text' }) },
  STRICT,
)

/**
 * `card`: its security code is asked for; `code`: the network has sent a code; `waiting`: it can be stopped, and is not
 * due yet; `ready`: a passkey can be made; `made`: it was.
 */
const RECOVERY_STATUSES = ['card', 'code', 'waiting', 'ready', 'stopped', 'made'] as const
export const RecoveryStanding = Type.Object({
  status: oneOf(RECOVERY_STATUSES),
  /** What can be proven; empty once one is. */
  cards: Type.Array(ProvableCard),
  /** From when on a passkey can be made; null: no card is proven yet. */
  due_at: nullable(Type.String()),
  /** Until when it can go on. */
  ends_at: Type.String(),
  now: Type.String(),
})
export type RecoveryStanding = Static<typeof RecoveryStanding>

export const RecoveryParams = Type.Object({ recoveryId: Id })

/** What an owner who is signed in is told of a recovery that is under way, and of one that came to its end. */
export const OwnerRecoveries = Type.Object({
  waiting: nullable(
    Type.Object({
      recovery_id: Type.String(),
      browser: nullable(Type.String()),
      system: nullable(Type.String()),
      /** The network that it comes from. */
      place: Type.String(),
      asked_at: Type.String(),
      due_at: Type.String(),
    }),
  ),
  /** When a passkey was made in place of the lost ones; null: not of late. Shown with each approval. */
  made_at: nullable(Type.String()),
  /** Until when agents are allowed nothing more; null: they may be. */
  frozen_until: nullable(Type.String()),
})
export type OwnerRecoveries = Static<typeof OwnerRecoveries>
