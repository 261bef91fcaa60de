import type { Confirmation, PaymentFailure } from '@mintmark/contract'
import { type CaptureContext, singleWithEvent } from '../db/command.ts'
import { confirm } from './confirm.ts'
import type { ChargeDeps } from './deps.ts'
import type { ChargeEnds, Minted, Recorded } from './ends.ts'
import { nextEvent, valuesOf } from './events.ts'
import { postpone } from './postpone.ts'
import { hasRunOut, overdueBound, reportableUntil } from './rules.ts'
import * as store from './standing-ends-store.ts'
import { lapseStanding } from './standing-lapse.ts'
import { type ChargeWork, findReported } from './store.ts'

// A charge against a standing mandate: the mandate goes on, unless it was for one payment.

function minted(deps: ChargeDeps, work: ChargeWork, { sealed: credential, validUntil: lapsesAt }: Minted): Recorded {
  const declaration = { name: 'charges.finish_standing_minted', emits: ['payment.credentials_ready'] } as const
  const { sealed, keyId } = credential
  return singleWithEvent(deps, declaration, nextEvent('payment.credentials_ready', work), (context) =>
    store.updateStandingMinted(context.on, { ...valuesOf(work, context), sealed, keyId, lapsesAt }),
  )
}

function refused(deps: ChargeDeps, work: ChargeWork, failure: PaymentFailure): Recorded {
  const declaration = { name: 'charges.finish_standing_refused', emits: ['payment.failed'] } as const
  return singleWithEvent(deps, declaration, nextEvent('payment.failed', work, failure), (context) =>
    store.updateStandingRefused(context.on, { ...valuesOf(work, context), failure }),
  )
}

/**
 * The payment of a mandate for one ends that mandate too. Its version is read first; when an owner moved it in between, the
 * statement writes nothing, and it is read again. Each round follows a move that somebody else made, so this ends.
 */
async function paid(deps: ChargeDeps, work: ChargeWork, confirmation: Confirmation): Recorded {
  for (;;) {
    const last =
      work.frequency === 'one_time'
        ? await deps.mandates.consumption({ merchantId: work.merchantId, id: work.mandateId })
        : undefined
    const recorded = await recordPaid(deps, work, confirmation, last)
    if (recorded !== undefined || last === undefined) return recorded
    const { merchantId, id } = work
    const now = await deps.mandates.consumption({ merchantId, id: work.mandateId })
    // The mandate is as it was read: it was the charge, or the lease, that went elsewhere.
    if (now?.mandateVersion === last.mandateVersion) return undefined
    deps.log.info('mandate was moved while its payment was recorded', { merchant_id: merchantId, charge_id: id })
  }
}

type Last = Awaited<ReturnType<ChargeDeps['mandates']['consumption']>>

function recordPaid(deps: ChargeDeps, work: ChargeWork, confirmation: Confirmation, last: Last): Recorded {
  const declaration = { name: 'charges.finish_standing_paid', emits: ['payment.succeeded'] } as const
  return singleWithEvent(deps, declaration, nextEvent('payment.succeeded', work), (context) => {
    const values = { ...valuesOf(work, context), confirmation }
    return last === undefined
      ? store.updateStandingPaid(context.on, values)
      : store.updateLastPaid(context.on, { ...values, ...consumed(deps, context, last) })
  })
}

/** The values of the second event: that the payment has ended its mandate. */
function consumed({ events }: ChargeDeps, context: CaptureContext, { mandateVersion, event }: NonNullable<Last>) {
  const row = events.prepare(context, event)
  return {
    mandateVersion,
    consumedId: row.eventId,
    consumedType: row.eventType,
    consumedResourceType: row.resourceType,
    consumedVersion: row.resourceVersion,
    consumedData: row.eventData,
  }
}

function declined(deps: ChargeDeps, work: ChargeWork, confirmation: Confirmation): Recorded {
  const declaration = { name: 'charges.finish_standing_declined', emits: ['payment.failed'] } as const
  return singleWithEvent(deps, declaration, nextEvent('payment.failed', work, 'PAYMENT_DECLINED'), (context) =>
    store.updateStandingDeclined(context.on, { ...valuesOf(work, context), confirmation }),
  )
}

/**
 * First the credential lapses, or ends with its card. If it was used the charge stays reportable: a day after the lapse that is told, and
 * when that time is over too the charge has failed. A deletion erases a credential before the network is asked, which is asked all the same.
 */
function runOut(deps: ChargeDeps, work: ChargeWork): Recorded {
  const { lapsesAt, credentialKeyId, overdueAt, isCardDeleted = false } = work
  if (lapsesAt === null) throw new Error(`Charge ${work.id} awaits a report without an end.`)
  const tell = () => overdue(deps, work, reportableUntil(lapsesAt))
  if (credentialKeyId !== null || (isCardDeleted && overdueAt === null))
    return lapseStanding(deps, work, lapsesAt, tell)
  return overdueAt === null ? tell() : timeOut(deps, work)
}

function overdue(deps: ChargeDeps, work: ChargeWork, nextDueAt: Date): Recorded {
  const declaration = { name: 'charges.overdue', emits: ['charge.report_overdue'] } as const
  return singleWithEvent(deps, declaration, nextEvent('charge.report_overdue', work), (context) =>
    store.updateOverdue(context.on, { ...valuesOf(work, context), nextDueAt }),
  )
}

/**
 * The network is told first, as of a charge that was declined: what it minted must not count there, against the cap and the
 * number of charges, when it counts here no more. It refuses if it knows of a payment; then that counts there alone. A claim
 * may have read the charge before a report came in on the last moment, so it is read again: from now on none is let in.
 */
async function timeOut(deps: ChargeDeps, work: ChargeWork): Recorded {
  const { merchantId, id: chargeId } = work
  const found = await findReported(deps.pool, { merchantId, chargeId })
  if (found === undefined || !hasRunOut(found, deps.clock.now())) return undefined
  if ((await confirm(deps, { ...work, reportedOutcome: 'DECLINED' })) === 'unknown') {
    await postpone(deps, work)
    return { postponed: true }
  }
  const declaration = { name: 'charges.report_timeout', emits: ['payment.failed'] } as const
  return singleWithEvent(deps, declaration, nextEvent('payment.failed', work, 'REPORT_TIMEOUT'), (context) =>
    store.updateReportTimeout(context.on, { ...valuesOf(work, context), overdueBound: overdueBound(context.at) }),
  )
}

export const standingEnds: ChargeEnds = { minted, refused, paid, declined, runOut }
