import type { Confirmation, PaymentFailure } from '@mintmark/contract'
import { type CaptureContext, singleWithEvent } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import type { ChargeDeps } from './deps.ts'
import { failed, minted, overdue, paid } from './ends-store.ts'
import { nextEvent, type PaymentEvent, valuesOf } from './events.ts'
import { isStanding } from './rules.ts'
import type { ChargeWork, ReportedWork } from './work-fragments.ts'

/** What is recorded with an event. */
interface Facts {
  'payment.credentials_ready': { instructionRef: string; sealed: Buffer; keyId: string; lapsesAt: Date }
  'payment.failed': { failure: PaymentFailure; confirmation: Confirmation | null }
  'payment.succeeded': { confirmation: Confirmation }
  'charge.report_overdue': { nextDueAt: Date }
}
/** One statement, with the event and what becomes of the mandate. */
type Write<Type extends PaymentEvent, More> = (
  on: Queryable,
  values: ReturnType<typeof valuesOf> & Facts[Type] & More,
) => Recorded

/** Each is a statement. Without `checkout` no charge of a checkout ends so. */
interface Effect<Type extends PaymentEvent, More> {
  checkout?: Write<Type, More>
  standing: Write<Type, More>
}
interface End<Type extends PaymentEvent, More> {
  from: 'minting' | 'awaiting_result'
  event: Type
  effect: Effect<Type, More>
}
const end = <Type extends PaymentEvent, More = unknown>(
  from: End<Type, More>['from'],
  event: Type,
  effect: Effect<Type, NoInfer<More>>,
): End<Type, More> => ({ from, event, effect })

/**
 * What the holder of a charge records: where the charge comes from, the event, and the effect on the mandate. That of a checkout is there for
 * one charge, which it begins and ends with. A standing one goes on, and has back what a charge took that came to nothing.
 */
export const ENDS = {
  minted: end('minting', 'payment.credentials_ready', { checkout: minted.activated, standing: minted.kept }),
  refused: end('minting', 'payment.failed', { checkout: failed.cancelled, standing: failed.givenBack }),
  declined: end('awaiting_result', 'payment.failed', { checkout: failed.cancelled, standing: failed.givenBack }),
  paid: end('awaiting_result', 'payment.succeeded', { checkout: paid.consumed, standing: paid.kept }),
  /** The mandate was for one payment. */
  paidLast: end<'payment.succeeded', ReturnType<typeof consumed>>('awaiting_result', 'payment.succeeded', {
    standing: paid.consumedStanding,
  }),
  /** Its credential lapsed, and the network says that it was not used. */
  unused: end('awaiting_result', 'payment.failed', { standing: failed.givenBack }),
  /** It was used, and nobody has reported it a day later. The charge goes on. */
  overdue: end('awaiting_result', 'charge.report_overdue', { standing: overdue.kept }),
  /** Nor in the time after that. */
  timedOut: end('awaiting_result', 'payment.failed', { standing: failed.givenBack }),
}

/** Undefined: the charge was ended elsewhere, or its lease taken over; nothing is written then. */
export type Recorded = Promise<object | undefined>

/** A charge in hand; `frequency` is its standing mandate's. */
export type HeldCharge = ReportedWork & { frequency?: ChargeWork['frequency'] }

/** Records an end, in one statement with its event. `failure`: what the event says of a charge that comes to nothing. */
export function record<Type extends PaymentEvent, More>(
  deps: ChargeDeps,
  work: ReportedWork,
  { from, event: type, effect }: End<Type, More>,
  facts: (context: CaptureContext) => Facts[Type] & More,
  failure: PaymentFailure | null = null,
): Recorded {
  const write = isStanding(work) ? effect.standing : effect.checkout
  if (write === undefined) throw new Error(`The charge ${work.id} is a checkout's, which does not end so.`)
  const declaration = { name: 'charges.record_end', emits: [type] }
  return singleWithEvent(deps, declaration, nextEvent(type, work, failure), (context) => {
    // The mandate of a checkout is cancelled with it, and the network does not know.
    if (failure !== null && !isStanding(work)) deps.mandates.wakeCancellation(context.on)
    return write(context.on, { ...valuesOf(work, from, context), ...facts(context) })
  })
}

/** The same of one that comes to nothing. `confirmation`: what the network says of a report. */
export function recordFailed(
  deps: ChargeDeps,
  work: ReportedWork,
  end: typeof ENDS.refused,
  failure: PaymentFailure,
  confirmation: Confirmation | null = null,
): Recorded {
  return record(deps, work, end, () => ({ failure, confirmation }), failure)
}

/**
 * The payment of a standing mandate for one ends that mandate too. Its version is read first; when an owner moved it in between, the statement
 * writes nothing, and it is read again. Each round follows a move that somebody else made, so this ends.
 */
export async function recordPaid(deps: ChargeDeps, work: HeldCharge, confirmation: Confirmation): Recorded {
  const { merchantId, mandateId, id: chargeId } = work
  const read = () => deps.mandates.consumption({ merchantId, id: mandateId })
  let last = isStanding(work) && work.frequency === 'one_time' ? await read() : undefined
  while (last !== undefined) {
    const recorded = await recordPaidLast(deps, work, confirmation, last)
    if (recorded !== undefined) return recorded
    const now = await read()
    // The mandate is as it was read: it was the charge, or the lease, that went elsewhere.
    if (now?.mandateVersion === last.mandateVersion) return undefined
    deps.log.info('mandate was moved while its payment was recorded', { merchant_id: merchantId, charge_id: chargeId })
    last = now
  }
  return record(deps, work, ENDS.paid, () => ({ confirmation }))
}

type Consumption = NonNullable<Awaited<ReturnType<ChargeDeps['mandates']['consumption']>>>

function recordPaidLast(deps: ChargeDeps, work: HeldCharge, confirmation: Confirmation, last: Consumption): Recorded {
  return record(deps, work, ENDS.paidLast, (context) => ({ confirmation, ...consumed(deps, context, last) }))
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
