import { command, rollback, single } from '../db/command.ts'
import { wake } from '../jobs/wake.ts'
import { confirm, releaseCredential } from './confirm.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import { type Recorded, record } from './ends.ts'
import * as endsStore from './ends-store.ts'
import { paymentEvent } from './events.ts'
import { postpone } from './postpone.ts'
import { hasRunOut, isLapsed, isStanding, overdueTime, reportableUntil } from './rules.ts'
import type { ChargeWork, ReportedCharge } from './store.ts'
import * as store from './store.ts'

// The time of a credential is over and no report has come; or it ends before, with its card.

/** Undefined: as `record`. `postponed`: the network said nothing, and the work was given back, to be tried again. */
export function runOut(deps: ChargeDeps, work: ChargeWork): Recorded {
  return isStanding(work) ? runOutOfStanding(deps, work) : runOutOfCheckout(deps, work)
}

/** Its end is its mandate's. Before that, with its card: unused it comes to nothing, used it waits for its report as ever. */
async function runOutOfCheckout(deps: ChargeDeps, work: ChargeWork): Recorded {
  const { id: chargeId, merchantId, mandateId, lapsesAt, isCardDeleted } = work
  const isEarly = isCardDeleted === true && lapsesAt !== null && lapsesAt > deps.clock.now()
  if (isEarly) {
    const became = await releaseCredential(deps, { chargeId })
    if (became === 'unknown') return giveBack(deps, work)
    if (became === 'used') return recordUsed(deps, work, lapsesAt)
    await lapseNow(deps, { merchantId, chargeId })
  }
  return lapse(deps, { merchantId, chargeId, mandateId })
}

/** From now on the credential is over, and what follows of that is due. */
export async function lapseNow(deps: ChargeDeps, charge: ChargeRef): Promise<void> {
  await single(deps, { name: 'charges.lapse_now', silent: 'middle' }, ({ on, at }) => {
    wake(on, store.RECONCILE_JOB)
    return endsStore.updateLapseNow(on, { ...charge, at })
  })
}

/** The credential of a checkout is over: it is erased, and its charge has failed, whoever holds it. Undefined: a report came first. */
export async function lapse(deps: ChargeDeps, charge: ChargeRef & { mandateId: string }): Recorded {
  const declaration = { name: 'charges.lapse', emits: ['payment.failed'] } as const
  const lapsed = await command(deps, declaration, async ({ tx, at, emit }) => {
    await deps.mandates.chargeLapsed({ tx, at }, { merchantId: charge.merchantId, id: charge.mandateId })
    const ended = await endsStore.updateLapsed(tx, { ...charge, at })
    if (ended === undefined) return rollback
    emit(paymentEvent('payment.failed', ended, ended.failure))
    return ended
  })
  return lapsed ?? undefined
}

/**
 * First the credential lapses, or ends with its card. If it was used the charge stays reportable: a day after the lapse that is told, and
 * when that time is over too the charge has failed. A deletion erases a credential before the network is asked, which is asked all the same.
 */
function runOutOfStanding(deps: ChargeDeps, work: ChargeWork): Recorded {
  const { lapsesAt, credentialKeyId, overdueAt, isCardDeleted = false } = work
  if (lapsesAt === null) throw new Error(`Charge ${work.id} awaits a report without an end.`)
  if (credentialKeyId !== null || (isCardDeleted && overdueAt === null)) return lapseStanding(deps, work, lapsesAt)
  return overdueAt === null ? recordOverdue(deps, work, lapsesAt) : timeOut(deps, work)
}

/** Only the network knows whether it was spent. Unused it comes to nothing, and the charge with it; used it waits for its report. */
async function lapseStanding(deps: ChargeDeps, work: ChargeWork, lapsesAt: Date): Recorded {
  const { isCardDeleted = false } = work
  const found = await findUnreported(deps, work)
  if (found === undefined || !(isCardDeleted || isLapsed(found, deps.clock.now()))) return undefined
  const became = await releaseCredential(deps, { chargeId: work.id })
  if (became === 'unknown') return giveBack(deps, work)
  if (became === 'ended') return record(deps, work, 'unused', () => ({ confirmation: null }))
  const overdueAt = overdueTime(lapsesAt)
  // Where its card was deleted the network was asked long before, or has not answered until now.
  const isOverdue = isCardDeleted && overdueAt <= deps.clock.now()
  return isOverdue ? recordOverdue(deps, work, lapsesAt) : recordUsed(deps, work, overdueAt)
}

function recordOverdue(deps: ChargeDeps, work: ChargeWork, lapsesAt: Date): Recorded {
  return record(deps, work, 'overdue', () => ({ nextDueAt: reportableUntil(lapsesAt) }))
}

/** It was spent: it is erased, and looked at again when `nextDueAt` comes. */
function recordUsed(deps: ChargeDeps, work: ChargeWork, nextDueAt: Date): Recorded {
  const { merchantId, id, leaseFence, version } = work
  return single(deps, { name: 'charges.lapse_used', silent: 'middle' }, ({ on, at }) =>
    endsStore.updateUsed(on, { merchantId, id, leaseFence, version, at, nextDueAt }),
  )
}

/**
 * The network is told first, as of a charge that was declined: what it minted must not count there, against the cap and the
 * number of charges, when it counts here no more. It refuses if it knows of a payment; then that counts there alone.
 */
async function timeOut(deps: ChargeDeps, work: ChargeWork): Recorded {
  const found = await findUnreported(deps, work)
  if (found === undefined || !hasRunOut(found, deps.clock.now())) return undefined
  if ((await confirm(deps, { ...work, reportedOutcome: 'DECLINED' })) === 'unknown') return giveBack(deps, work)
  return record(deps, work, 'timedOut', () => ({ confirmation: null }))
}

/**
 * A claim may have read the charge before a report came in on the last moment, so it is read again: from the end of its time on none is let in
 * before the network has said which of the two it is.
 */
async function findUnreported({ pool }: ChargeDeps, work: ChargeWork): Promise<ReportedCharge | undefined> {
  const found = await store.findReported(pool, { merchantId: work.merchantId, chargeId: work.id })
  return found?.reportedOutcome === null ? found : undefined
}

async function giveBack(deps: ChargeDeps, work: ChargeWork) {
  await postpone(deps, work)
  return { postponed: true }
}
