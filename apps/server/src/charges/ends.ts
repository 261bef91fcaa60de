import type { Confirmation, PaymentFailure } from '@mintmark/contract'
import { type CaptureContext, singleWithEvent } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import type { ChargeDeps } from './deps.ts'
import { failed, minted, overdue, paid } from './ends-store.ts'
import { nextEvent, type PaymentEvent, valuesOf } from './events.ts'
import { isStanding } from './rules.ts'
import type { ChargeWork, ReportedWork } from './work-fragments.ts'

/** What the network says of a report; null where it was told of none. */
interface Answered {
  confirmation: Confirmation | null
}
/** What each end is recorded with. */
interface Facts {
  minted: { instructionRef: string; sealed: Buffer; keyId: string; lapsesAt: Date }
  refused: Answered
  declined: Answered
  paid: Answered
  paidLast: Answered & ReturnType<typeof consumed>
  unused: Answered
  overdue: { nextDueAt: Date }
  timedOut: Answered
}
type EndName = keyof Facts

/** One statement: the charge, its event, and what becomes of the mandate. */
type Write<Given> = (on: Queryable, values: Values & Given) => Recorded
type Values = ReturnType<typeof valuesOf> & { failure: PaymentFailure | null }
interface End<Given> {
  from: 'minting' | 'awaiting_result'
  event: PaymentEvent
  /** Why it came to nothing, where that is always the same. */
  failure?: PaymentFailure
  /** Without it no charge of a checkout ends so. */
  checkout?: Write<Given>
  standing: Write<Given>
}

/**
 * What the holder of a charge records: where the charge comes from, the event, and the effect on the mandate. That of a checkout is there for
 * one charge, which it begins and ends with. A standing one goes on, and has back what a charge took that came to nothing.
 */
export const ENDS: { [Name in EndName]: End<Facts[Name]> } = {
  minted: { from: 'minting', event: 'payment.credentials_ready', checkout: minted.activated, standing: minted.kept },
  refused: { from: 'minting', event: 'payment.failed', checkout: failed.cancelled, standing: failed.givenBack },
  declined: {
    ...{ from: 'awaiting_result', event: 'payment.failed', failure: 'PAYMENT_DECLINED' },
    ...{ checkout: failed.cancelled, standing: failed.givenBack },
  },
  paid: { from: 'awaiting_result', event: 'payment.succeeded', checkout: paid.consumed, standing: paid.kept },
  /** The mandate was for one payment. */
  paidLast: { from: 'awaiting_result', event: 'payment.succeeded', standing: paid.consumedStanding },
  /** Its credential lapsed, and the network says that it was not used. */
  unused: {
    ...{ from: 'awaiting_result', event: 'payment.failed', failure: 'CREDENTIAL_LAPSED' },
    standing: failed.givenBack,
  },
  /** It was used, and a day later no report has come. The charge goes on. */
  overdue: { from: 'awaiting_result', event: 'charge.report_overdue', standing: overdue.kept },
  /** No report has come in the 30 days after its lapse. */
  timedOut: {
    ...{ from: 'awaiting_result', event: 'payment.failed', failure: 'REPORT_TIMEOUT' },
    standing: failed.givenBack,
  },
}

/** Undefined: the charge was ended elsewhere, or its lease taken over; nothing is written then. */
export type Recorded = Promise<object | undefined>

/** A charge in hand; `frequency` is its standing mandate's. */
export type HeldCharge = ReportedWork & { frequency?: ChargeWork['frequency'] }

/** Records an end, in one statement with its event. `failure`: where the table does not say it. */
export function record<Name extends EndName>(
  deps: ChargeDeps,
  work: ReportedWork,
  name: Name,
  facts: (context: CaptureContext) => Facts[Name],
  failure: PaymentFailure | null = ENDS[name].failure ?? null,
): Recorded {
  const { from, event: type, checkout, standing }: End<Facts[Name]> = ENDS[name]
  const write = isStanding(work) ? standing : checkout
  if (write === undefined) throw new Error(`The charge ${work.id} is a checkout's, which does not end as ${name}.`)
  if (type === 'payment.failed' && failure === null) throw new Error(`Nothing says why the charge ${work.id} failed.`)
  const declaration = { name: `charges.record_${name}`, emits: [type] }
  return singleWithEvent(deps, declaration, nextEvent(type, work, failure), (context) => {
    // The mandate of a checkout is cancelled with it, and the network does not know.
    if (failure !== null && !isStanding(work)) deps.mandates.wakeCancellation(context.on)
    const values: Values = { ...valuesOf(work, from, context), failure }
    return write(context.on, { ...values, ...facts(context) })
  })
}

/**
 * The payment of a standing mandate for one ends that mandate too. Its version is read first; when an owner moved it in between, the statement
 * writes nothing, and it is read again. Each round follows a move that another caller or a worker made, so this ends.
 */
export async function recordPaid(deps: ChargeDeps, work: HeldCharge, confirmation: Confirmation): Recorded {
  const { merchantId, mandateId, id: chargeId } = work
  const read = () => deps.mandates.consumption({ merchantId, id: mandateId })
  const { frequency } = work
  if (isStanding(work) && frequency === undefined) throw new Error(`The mandate of ${chargeId} was not read.`)
  let last = isStanding(work) && frequency === 'one_time' ? await read() : undefined
  while (last !== undefined) {
    const recorded = await recordPaidLast(deps, work, confirmation, last)
    if (recorded !== undefined) return recorded
    const now = await read()
    // The mandate is as it was read: it was the charge, or the lease, that went elsewhere.
    if (now?.mandateVersion === last.mandateVersion) return undefined
    deps.log.info('mandate was moved while its payment was recorded', { merchant_id: merchantId, charge_id: chargeId })
    last = now
  }
  return record(deps, work, 'paid', () => ({ confirmation }))
}

type Consumption = NonNullable<Awaited<ReturnType<ChargeDeps['mandates']['consumption']>>>

function recordPaidLast(deps: ChargeDeps, work: HeldCharge, confirmation: Confirmation, last: Consumption): Recorded {
  return record(deps, work, 'paidLast', (context) => ({ confirmation, ...consumed(deps, context, last) }))
}

/** The values of the second event: that the payment has ended its mandate. */
function consumed({ events }: ChargeDeps, context: CaptureContext, { mandateVersion, event }: Consumption) {
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
