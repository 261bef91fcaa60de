import { command } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'
import { recoveryNotFound, recoveryOver } from './errors.ts'
import { findRecovery, type Recovery, SILENT, tellingOf } from './recovery.ts'
import * as store from './recovery-store.ts'

// Whoever is signed in as the owner stops a recovery, whoever reads their mail, and whoever asked for it. This takes
// away, so it needs no passkey.

/** How long one that has ended is kept, and its owner reminded of it. */
export const KEPT_SECONDS = 30 * 24 * 60 * 60

/** The one that every device of the owner is told of. */
export async function waitingRecovery({ pool, clock }: OwnerDeps, { merchantId, customerId }: OwnerCaller) {
  return store.findWaiting(pool, { merchantId, customerId, at: clock.now() })
}

/** On another device, where the owner is signed in. */
export async function stopOwnRecovery(deps: OwnerDeps, caller: OwnerCaller, recoveryId: string): Promise<void> {
  const { merchantId, customerId } = caller
  const found = await store.findById(deps.pool, { merchantId, recoveryId })
  // One of another owner is told as one that there is not.
  if (found === undefined || found.customerId !== customerId || found.provenAt === null) throw recoveryNotFound()
  await stop(deps, found, 'device')
}

/** By the link of the mail. */
export async function stopRecoveryByMail(deps: OwnerDeps, token: string): Promise<void> {
  const { merchantId, mail } = deps
  const recoveryId = mail.recoveryOfLink(merchantId, token)
  const found = recoveryId === undefined ? undefined : await store.findById(deps.pool, { merchantId, recoveryId })
  if (found === undefined) throw recoveryNotFound()
  await stop(deps, found, 'mail')
}

/** In the browser that began it. */
export async function stopRecovery(deps: OwnerDeps, word: string): Promise<void> {
  await stop(deps, await findRecovery(deps, word), 'itself')
}

/** One that is stopped already is stopped. */
async function stop(deps: OwnerDeps, found: Recovery, by: (typeof store.STOPPED_BY)[number]): Promise<void> {
  const { merchantId } = deps
  const { id: recoveryId, customerId } = found
  const stopped = await command(
    deps,
    { name: 'owners.stop_recovery', why: SILENT, together: 'statement' },
    ({ on, at }) => {
      const keptUntil = addSeconds(at, KEPT_SECONDS)
      return store.updateStopped(on, {
        merchantId,
        recoveryId,
        customerId,
        by,
        keptUntil,
        at,
        ...tellingOf(deps, on, found, at),
      })
    },
  )
  if (stopped !== undefined) return
  const now = await store.findById(deps.pool, { merchantId, recoveryId })
  if (now?.stoppedAt == null) throw recoveryOver()
}
