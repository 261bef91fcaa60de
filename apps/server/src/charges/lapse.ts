import { command, rollback } from '../db/command.ts'
import { wake } from '../jobs/wake.ts'
import { confirm, releaseCredential } from './confirm.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import { type Recorded, recordLapsed, recordOverdue, recordTimedOut } from './ends.ts'
import { updateLapsedUsed } from './ends-store.ts'
import { paymentEvent } from './events.ts'
import { type ObservedRef, observe } from './observed.ts'
import { eraseLapsed } from './observed-store.ts'
import { postpone } from './postpone.ts'
import { hasRunOut, isLapsed, isStanding, overdueBound, overdueTime, reportableUntil } from './rules.ts'
import type { ChargeWork } from './store.ts'
import * as store from './store.ts'

// The end of a credential that was not reported in time. A standing mandate's is ended at the network first: only the
// network knows whether it was spent.

/**
 * The time to report a charge is over. Where the network is to be asked for it, unknown gives the work back, to be
 * tried again (`postponed`).
 */
export async function runOut(deps: ChargeDeps, work: ChargeWork): Recorded {
  const { lapsesAt, credentialKeyId, overdueAt } = work
  if (lapsesAt === null) throw new Error(`Charge ${work.id} awaits a report without an end.`)
  if (isStanding(work) && credentialKeyId !== null) return lapseStanding(deps, work, lapsesAt)
  // No time makes an end of a payment that the network has seen, and none is made while it says nothing.
  const { state } = await observe(deps, { ...work, chargeId: work.id }, work.leaseFence)
  if (state === 'unknown' || state === 'busy') {
    await eraseUnheard(deps, work)
    return giveBack(deps, work)
  }
  if (!isStanding(work)) return endPurchase(deps, { ...work, chargeId: work.id })
  // It was used, so it stays reportable: a day later that is told, and when that time is over too it has failed.
  return overdueAt === null ? recordOverdue(deps, work, reportableUntil(lapsesAt)) : timeOut(deps, work)
}

/** The time of a purchase is over, for who finds it so. Undefined: it was paid, or that is not known yet. */
export async function lapse(deps: ChargeDeps, charge: ObservedRef): Recorded {
  const { state } = await observe(deps, charge)
  if (state === 'recorded' || state === 'gone') return endPurchase(deps, charge)
  await eraseUnheard(deps, { ...charge, id: charge.chargeId })
  return undefined
}

async function eraseUnheard(deps: ChargeDeps, { merchantId, id }: Pick<ChargeWork, 'merchantId' | 'id'>) {
  const why = 'A credential that could not be used any more.'
  await command(deps, { name: 'charges.erase_lapsed', together: 'statement', why }, ({ on, at }) =>
    eraseLapsed(on, { merchantId, id, at }),
  )
}

/** The credential of a purchase is erased. Undefined: a report came first, or the network has told of a payment. */
async function endPurchase(deps: ChargeDeps, charge: ObservedRef): Recorded {
  const declaration = { name: 'charges.lapse', events: ['payment.failed'] } as const
  const lapsed = await command(deps, declaration, async ({ tx, at, emit }) => {
    deps.mandates.wakeCancellation(tx)
    const { merchantId, chargeId } = charge
    const ended = await store.updateLapsed(tx, { merchantId, chargeId, at })
    if (ended === undefined) return rollback
    emit(paymentEvent('payment.failed', ended, 'MANDATE_EXPIRED'))
    return ended
  })
  return lapsed ?? undefined
}

/**
 * Unused it comes to nothing, and the charge with it; used it waits for its report. A claim may have read the charge
 * before a report came in on the last moment, so it is read again: from now on none is let in before the network has
 * said which of the two it is.
 */
async function lapseStanding(deps: ChargeDeps, work: ChargeWork, lapsesAt: Date): Recorded {
  const { merchantId, id: chargeId } = work
  const found = await store.findReported(deps.pool, { merchantId, chargeId })
  if (found === undefined || !isLapsed(found, deps.clock.now())) return undefined
  switch (await releaseCredential(deps, { chargeId })) {
    case 'unknown':
      return giveBack(deps, work)
    case 'used':
      return recordUsed(deps, work, overdueTime(lapsesAt))
    case 'ended':
      return recordLapsed(deps, work)
  }
}

async function giveBack(deps: ChargeDeps, work: ChargeWork) {
  await postpone(deps, work)
  return { postponed: true }
}

function recordUsed(deps: ChargeDeps, work: ChargeWork, nextDueAt: Date): Recorded {
  const { merchantId, id, leaseFence, version } = work
  const why = 'What becomes of the payment is the event, or that it is never said.'
  return command(deps, { name: 'charges.lapse_used', why, together: 'statement' }, ({ on, at }) =>
    updateLapsedUsed(on, { merchantId, id, leaseFence, version, at, nextDueAt }),
  )
}

/**
 * The network is told first, as of a charge that was declined: what it minted must not count there, against the cap and
 * the number of charges, when it counts here no more. It refuses if it knows of a payment; then that counts there
 * alone. The charge is read again, as above: from now on no report is let in.
 */
async function timeOut(deps: ChargeDeps, work: ChargeWork): Recorded {
  const { merchantId, id: chargeId } = work
  const found = await store.findReported(deps.pool, { merchantId, chargeId })
  if (found === undefined || !hasRunOut(found, deps.clock.now())) return undefined
  if ((await confirm(deps, { ...work, reportedOutcome: 'DECLINED' })) === 'unknown') return giveBack(deps, work)
  return recordTimedOut(deps, work, overdueBound(deps.clock.now()))
}

/**
 * Ends the credential of a charge that is not over, before its time, as after a restore from a backup, which brings
 * back credentials that were used, reported or erased since. `ended`: it is dead at the network, not shown from
 * now on, and a worker ends the charge; one that was still being minted comes to nothing. `used`: it was spent, and the
 * charge waits for its report as ever. `unknown`: nothing was changed; ask again. Idempotent.
 */
export async function endCredential(deps: ChargeDeps, charge: ChargeRef): Promise<'ended' | 'used' | 'unknown'> {
  const became = await releaseCredential(deps, charge)
  if (became !== 'ended') return became
  const why = 'The end of the charge is the event, which a worker writes.'
  await command(deps, { name: 'charges.bring_lapse_forward', why, together: 'statement' }, ({ on, at }) => {
    wake(on, store.RECONCILE_JOB)
    return store.updateLapseNow(on, { ...charge, at })
  })
  return 'ended'
}
