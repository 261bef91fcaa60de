import { type CaptureContext, single } from '../db/command.ts'
import { enrollmentEvent } from '../enrollment/service.ts'
import type { RegistrationAnswer } from '../passkeys/service.ts'
import { maskedAddress } from '../platform/text.ts'
import { openAnswered } from './ceremony.ts'
import type { SessionDeps } from './deps.ts'
import { completed, factsOf } from './enrollment.ts'
import { cardNotProven } from './errors.ts'
import { admit } from './grant.ts'
import { findPlainRegistered, findPlainToRegister } from './plain-store.ts'
import { findOnSurface } from './read.ts'
import { mayReplace } from './rules.ts'
import { ownerOf, scopeOf } from './scope.ts'
import { checkProven, passkeySealOf } from './seal.ts'
import type { EnrollmentSession, Session } from './store.ts'
import {
  findClaiming,
  findIssuing,
  insertEnrolledPasskey,
  insertPasskey,
  type SurfaceSession,
  type ToRegister,
} from './surface-store.ts'
import type { SurfaceCaller } from './token.ts'
import { beginTry } from './tries.ts'

/** A session that asks for a passkey; null: its customer has none. */
type ToAsk = Session & { passkeyReleased: boolean | null; email: string | null }

/** A passkey is made only by who proved a card in this session: a link alone never leads to one. */
export async function registrationOptions(deps: SessionDeps, caller: SurfaceCaller, embedded: boolean) {
  const { sessionId } = caller
  const owner = ownerOf(caller)
  const find = caller.plain ? findPlainToRegister : findIssuing
  const silent = 'A question is no change.'
  const { found, challenge } = await single(deps, { name: 'passkeys.issue_challenge', silent }, async ({ on, at }) => {
    const row = deps.passkeys.registrationChallenge(owner, embedded, at)
    return {
      found: await find(on, { ...row, sessionId, customerId: owner.customerId }),
      challenge: row.challenge,
    }
  })
  const session = await admit<ToAsk>(deps, caller, found, async () => {
    const again = await findOnSurface(deps, caller)
    return again && { ...again, passkeyReleased: again.passkey?.released ?? null, email: null }
  })
  const { cardId, provenCardId, passkeyReleased: released, payeeName, email } = session
  // Looked at again when the passkey is stored; said here, so that nobody is asked for a finger in vain.
  if (cardId === null || cardId !== provenCardId) throw cardNotProven()
  const userLabel = maskedAddress(email) ?? payeeName
  return deps.passkeys.registrationOptions(owner, released === null ? null : { released }, { challenge, userLabel })
}

/** Stores the passkey; the card that was proven in this session belongs to it. Returns the session as it is then. */
export async function register(deps: SessionDeps, caller: SurfaceCaller, response: unknown): Promise<SurfaceSession> {
  const read = () => deps.passkeys.readRegistration(response)
  const claim = { ceremony: 'registration', find: caller.plain ? findPlainRegistered : findClaiming } as const
  const again = () => findOnSurface(deps, caller)
  const opened = await openAnswered<ToRegister, RegistrationAnswer>(deps, caller, claim, again, read)
  const { session, answer, claimed } = opened
  await beginTry(deps, session)
  const cardId = checkProven(deps.seals, session)
  const { merchantId, id: sessionId, proof, card, othersHavePasskey: othersHave } = session
  const hadPasskey = card !== null && card.passkeyId !== null
  const shown = { proof, hadPasskey, othersHave }
  const passkey = await deps.passkeys.register(scopeOf(deps, session), answer, claimed, ({ on, at }, row) => {
    const passkeySeal = passkeySealOf(deps, { merchantId, id: cardId }, row.passkeyId)
    const values = { ...row, ...shown, sessionId, cardId, passkeySeal, mayReplace: mayReplace(shown), at }
    if (session.kind !== 'enrollment') return insertPasskey(on, values)
    return insertEnrolledPasskey(on, { ...values, ...completion(deps, { on, at }, session) })
  })
  const now = withPasskey(session, passkey)
  return now.kind === 'enrollment' ? completed(now, passkey.createdAt, 'registered') : now
}

/** A passkey that is made in an enrollment completes it: the event of that. */
function completion({ events }: SessionDeps, context: CaptureContext, session: ToRegister<EnrollmentSession>) {
  // The statement wants a card that was proven: without one it makes no passkey.
  const facts = { ...factsOf(session), card: session.card }
  const passkey = 'registered'
  return {
    enrolledPasskey: passkey,
    ...events.prepare(context, enrollmentEvent('card_enrollment.completed', facts, { passkey })),
  }
}

/** The cards of a passkey that was replaced are not its successor's: only the card that was proven now is. */
function withPasskey(session: ToRegister, passkey: NonNullable<SurfaceSession['passkey']>): SurfaceSession {
  if (session.card === null) throw new Error('A passkey was made without a card.')
  const card = { ...session.card, passkeyId: passkey.id }
  return { ...session, card, saved: [card], passkey, record: null }
}
