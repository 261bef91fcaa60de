import { sealedPasskeyOf } from '../cards/service.ts'
import { command } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import type { CeremonyScope, NewPasskey } from '../passkeys/service.ts'
import { addSeconds } from '../platform/clock.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'
import { recoveryOver, widenedTooEarly } from './errors.ts'
import { findRecovery, SILENT, statusOf, tellingOf } from './recovery.ts'
import * as store from './recovery-store.ts'
import { sealedRecovery } from './seal.ts'
import { type Arrival, newSession } from './sessions.ts'
import { type Begun, begunOf, nameOf } from './sign-in.ts'
import { KEPT_SECONDS, waitingRecovery } from './stop-recovery.ts'

// A recovery that has waited ends in a passkey, in place of those that were lost. What holds for its owner then is
// here as well.

type Whose = Pick<OwnerCaller, 'merchantId' | 'customerId'>
type Clocked = Pick<OwnerDeps, 'pool' | 'clock'>

/** How long agents are allowed nothing more: it was perhaps not the owner. */
const FROZEN_SECONDS = 7 * 24 * 60 * 60

/** One that is due. Throws `RowTampered` for one that was proven, or came due, past its owner. */
async function findDue(deps: OwnerDeps, word: string) {
  const { merchantId, seals, clock } = deps
  const found = await findRecovery(deps, word)
  const { cardId, provenAt, waitsUntil, seal } = found
  if (statusOf(found, clock.now()) !== 'ready' || cardId === null || provenAt === null || waitsUntil === null)
    throw recoveryOver()
  seals.check(sealedRecovery({ ...found, merchantId, cardId, provenAt, waitsUntil }), seal)
  return { ...found, cardId }
}

export async function recoveryOptions(deps: OwnerDeps, word: string) {
  const { merchantId, passkeys } = deps
  const { id, customerId } = await findDue(deps, word)
  const scope = scopeOf(merchantId, customerId, id)
  const challenge = await command(
    deps,
    { name: 'owners.ask_registration', why: SILENT, together: 'statement' },
    ({ on, at }) => passkeys.issueRegistration(on, scope, at),
  )
  const userLabel = (await nameOf(deps, { merchantId, customerId })) || 'You'
  return { options: await passkeys.registrationOptions(scope, null, { challenge, userLabel, discoverable: true }) }
}

/** Stores the passkey in place of those that there were, and signs its owner in. */
export async function recover(deps: OwnerDeps, word: string, response: unknown, arrival: Arrival): Promise<Begun> {
  const { merchantId, passkeys, seals } = deps
  const found = await findDue(deps, word)
  const { id: recoveryId, customerId, cardId } = found
  const scope = scopeOf(merchantId, customerId, recoveryId)
  const answer = passkeys.readRegistration(response)
  const { challenge } = answer.clientData
  const { claimed } = await passkeys.claimDiscovered(scope, { ceremony: 'registration', challenge, passkeyId: '' })
  let begun: ReturnType<typeof newSession> | undefined
  const insert = async ({ on, at }: { on: Queryable; at: Date }, passkey: NewPasskey) => {
    const { passkeyId } = passkey
    begun = newSession(deps, { customerId, passkeyId, ...arrival }, at)
    const passkeySeal = seals.seal(sealedPasskeyOf({ merchantId, id: cardId }, passkeyId))
    const kept = {
      recoveryId,
      passkeySeal,
      keptUntil: addSeconds(at, KEPT_SECONDS),
      ...tellingOf(deps, on, found, at),
    }
    const stored = await store.insertPasskey(on, { ...passkey, ...begun.row, ...kept, at })
    if (stored === undefined) throw recoveryOver()
    return stored
  }
  await passkeys.register(scope, answer, claimed, insert)
  if (begun === undefined) throw new Error('A passkey was stored without its session.')
  return begunOf(begun, await nameOf(deps, { merchantId, customerId }))
}

/** What every device of the owner shows: what waits, since when the passkey is new, and until when nothing widens. */
export async function recoveriesOf(deps: OwnerDeps, caller: OwnerCaller) {
  const [waiting, madeAt] = await Promise.all([waitingRecovery(deps, caller), recoveredAt(deps, caller)])
  const frozenUntil = madeAt && addSeconds(madeAt, FROZEN_SECONDS)
  return { waiting, madeAt, frozenUntil: frozenUntil !== null && frozenUntil > deps.clock.now() ? frozenUntil : null }
}
export type OwnRecoveries = Awaited<ReturnType<typeof recoveriesOf>>

/** When the owner was recovered, as long as each approval says so: whatever has become of the passkey that was made. */
export async function recoveredAt({ pool, clock }: Clocked, { merchantId, customerId }: Whose): Promise<Date | null> {
  const usedAt = (await store.findRecovered(pool, { merchantId, customerId }))?.usedAt ?? null
  return usedAt !== null && addSeconds(usedAt, KEPT_SECONDS) > clock.now() ? usedAt : null
}

/**
 * Whether agents of this customer may be allowed more: they are not in the week after a recovery. It is asked before
 * anything is signed or taken: the passkey that signs it was made by the recovery or after it, so that is committed by
 * then.
 */
export async function mayWiden(deps: Clocked, whose: Whose): Promise<boolean> {
  const madeAt = await recoveredAt(deps, whose)
  return madeAt === null || addSeconds(madeAt, FROZEN_SECONDS) <= deps.clock.now()
}

export async function rejectWider(deps: OwnerDeps, caller: OwnerCaller): Promise<void> {
  if (!(await mayWiden(deps, caller))) throw widenedTooEarly()
}

const scopeOf = (merchantId: string, customerId: string, recoveryId: string): CeremonyScope => ({
  ...{ merchantId, customerId, subject: { type: 'owner_recovery', id: recoveryId }, allowedOrigins: [] },
})
