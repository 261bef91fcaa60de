import type { Confirmation, PaymentFailure } from '@mintmark/contract'
import { type CaptureContext, command } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import type { ChargeDeps } from './deps.ts'
import * as store from './ends-store.ts'
import { nextEvent, type PaymentEvent, valuesOf } from './events.ts'
import type { MintOutcome } from './mint.ts'
import { isStanding } from './rules.ts'
import type { ChargeWork, ReportedWork } from './store.ts'

// What becomes of a charge, and of the permission it is made under. What the network says is recorded by the charge's
// holder in one statement with its event.

/** Undefined: the charge was finished elsewhere, or its lease taken over; nothing is written then. */
export type Recorded = Promise<object | undefined>
type Minted = Extract<MintOutcome, { outcome: 'minted' }>

/** What becomes of the permission. `cancelled`: the network has still to be told. */
type Effect = 'activated' | 'cancelled' | 'consumed' | 'given back' | 'kept'

type Common = ReturnType<typeof valuesOf>
interface End<Values> {
  from: ChargeWork['status']
  event: PaymentEvent
  permission: Effect
  write: (on: Queryable, values: Values) => Recorded
}
const end = <Values>(
  from: End<Values>['from'],
  event: PaymentEvent,
  permission: Effect,
  write: End<Values>['write'],
): End<Values> => ({ from, event, permission, write })

/** A purchase's mandate is made for it, and ends with it. */
const OF_PURCHASE = {
  minted: end('minting', 'payment.credentials_ready', 'activated', store.updateMinted),
  refused: end('minting', 'payment.failed', 'cancelled', store.updateRefused),
  paid: end('awaiting_result', 'payment.succeeded', 'consumed', store.updatePaid),
  declined: end('awaiting_result', 'payment.failed', 'cancelled', store.updateDeclined),
}
/** A standing mandate goes on, unless it was for one payment (`recordPaid`). */
const OF_STANDING = {
  minted: end('minting', 'payment.credentials_ready', 'kept', store.updateStandingMinted),
  refused: end('minting', 'payment.failed', 'given back', store.updateStandingRefused),
  /** Minted, and told to no caller again: what it took stays taken, as it does at the network. */
  lost: end('minting', 'payment.failed', 'kept', store.updateStandingLost),
  paid: end('awaiting_result', 'payment.succeeded', 'kept', store.updateStandingPaid),
  declined: end('awaiting_result', 'payment.failed', 'given back', store.updateStandingDeclined),
  /** The network has released the credential, which was not used. */
  lapsed: end('awaiting_result', 'payment.failed', 'given back', store.updateLapsedUnused),
  /** It was used, and a day later no report has come. */
  overdue: end('awaiting_result', 'charge.report_overdue', 'kept', store.updateOverdue),
  /** No report came in the time after that either. */
  timedOut: end('awaiting_result', 'payment.failed', 'given back', store.updateReportTimeout),
}

function write<Values>(
  deps: ChargeDeps,
  work: ReportedWork,
  { from, event, permission, write }: End<Values>,
  values: Omit<Values, keyof Common>,
  failure: PaymentFailure | null = null,
): Recorded {
  if (work.status !== from)
    throw new Error(`Charge ${work.id} is ${work.status}, and cannot end as one that is ${from}.`)
  const declaration = { name: 'charges.record_end', events: [event], together: 'statement' } as const
  return command(deps, declaration, ({ on, at, prepare }) => {
    if (permission === 'cancelled') deps.mandates.wakeCancellation(on)
    const row = prepare(nextEvent(event, work, failure))
    return write(on, { ...valuesOf(work, { at, event: row }), ...values } as Values)
  })
}

export function recordMinted(deps: ChargeDeps, work: ChargeWork, minted: Minted): Recorded {
  const { instructionRef, sealed: credential, validUntil: lapsesAt } = minted
  const values = { sealed: credential.sealed, keyId: credential.keyId, lapsesAt }
  if (isStanding(work)) return write(deps, work, OF_STANDING.minted, values)
  return write(deps, work, OF_PURCHASE.minted, { ...values, instructionRef })
}

export function recordRefused(deps: ChargeDeps, work: ChargeWork, failure: PaymentFailure): Recorded {
  if (isStanding(work)) return write(deps, work, OF_STANDING.refused, { failure }, failure)
  return write(deps, work, OF_PURCHASE.refused, { failure }, failure)
}

/** The network minted and tells nothing of it again. The mandate of a purchase ends with it, as after a refusal. */
export function recordLost(deps: ChargeDeps, work: ChargeWork): Recorded {
  const failure = 'PAYMENT_FAILED'
  if (isStanding(work)) return write(deps, work, OF_STANDING.lost, { failure }, failure)
  return write(deps, work, OF_PURCHASE.refused, { failure }, failure)
}

/** The network knows the reported outcome. */
export function recordReported(deps: ChargeDeps, work: ReportedWork, confirmation: Confirmation): Recorded {
  if (work.reportedOutcome === 'APPROVED') return recordPaid(deps, work, confirmation)
  if (isStanding(work)) return write(deps, work, OF_STANDING.declined, { confirmation }, 'PAYMENT_DECLINED')
  return write(deps, work, OF_PURCHASE.declined, { confirmation }, 'PAYMENT_DECLINED')
}

/** The credential was not used, and the network has released it. */
export function recordLapsed(deps: ChargeDeps, work: ChargeWork): Recorded {
  return write(deps, work, OF_STANDING.lapsed, {}, 'CREDENTIAL_LAPSED')
}

/** It was used, and a day later no report has come. */
export function recordOverdue(deps: ChargeDeps, work: ChargeWork, nextDueAt: Date): Recorded {
  return write(deps, work, OF_STANDING.overdue, { nextDueAt })
}

/** No report came in the time after that either. */
export function recordTimedOut(deps: ChargeDeps, work: ChargeWork, overdueBound: Date): Recorded {
  return write(deps, work, OF_STANDING.timedOut, { overdueBound }, 'REPORT_TIMEOUT')
}

/**
 * The payment of a mandate for one ends that mandate too. Its version is read first; when an owner moved it in between,
 * the statement writes nothing, and it is read again. Each round follows a move that another caller made, so this ends.
 */
async function recordPaid(deps: ChargeDeps, work: ReportedWork, confirmation: Confirmation): Recorded {
  if (!isStanding(work)) return write(deps, work, OF_PURCHASE.paid, { confirmation })
  if (work.frequency !== 'one_time') return write(deps, work, OF_STANDING.paid, { confirmation })
  const { merchantId, id } = work
  const mandate = { merchantId, id: work.mandateId }
  for (let last = await deps.mandates.consumption(mandate); ; ) {
    if (last === undefined) return write(deps, work, OF_STANDING.paid, { confirmation })
    const recorded = await recordLastPaid(deps, work, confirmation, last)
    if (recorded !== undefined) return recorded
    const now = await deps.mandates.consumption(mandate)
    // The mandate is as it was read: it was the charge, or the lease, that went elsewhere.
    if (now?.mandateVersion === last.mandateVersion) return undefined
    deps.log.info('mandate was moved while its payment was recorded', { merchant_id: merchantId, charge_id: id })
    last = now
  }
}

type Last = NonNullable<Awaited<ReturnType<ChargeDeps['mandates']['consumption']>>>

function recordLastPaid(deps: ChargeDeps, work: ReportedWork, confirmation: Confirmation, last: Last): Recorded {
  const declaration = {
    name: 'charges.record_last_paid',
    events: ['payment.succeeded'],
    together: 'statement',
  } as const
  return command(deps, declaration, ({ on, at, prepare }) => {
    const event = prepare(nextEvent('payment.succeeded', work))
    return store.updateLastPaid(on, {
      ...valuesOf(work, { at, event }),
      confirmation,
      ...consumed(deps, { on, at }, last),
    })
  })
}

/** The values of the second event: that the payment has ended its mandate. */
function consumed({ events }: ChargeDeps, context: CaptureContext, { mandateVersion, event }: Last) {
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
