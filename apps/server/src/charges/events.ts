import {
  type ChargeStatus,
  type EventType,
  FAILURE_CATEGORY_OF,
  type OutcomeSource,
  type PaymentEventData,
  type PaymentFailure,
  TRANSACTION_STATUS_OF,
  type TransactionStatus,
} from '@mintmark/contract'
import type { Captured, EventRow } from '../db/command.ts'
import type { FactKind, NetworkFact } from '../network/events-port.ts'
import { amountFromMinor } from '../platform/money.ts'
import type { ChangedCharge } from './store.ts'
import type { ChargeFacts } from './work-fragments.ts'

/** How a payment stands when an event of this kind tells of it. */
const STATUS_OF = {
  'payment.credentials_ready': 'awaiting_result',
  'payment.succeeded': 'completed',
  'payment.failed': 'failed',
  'charge.report_overdue': 'awaiting_result',
} as const satisfies Record<string, TransactionStatus>
export type PaymentEvent = keyof typeof STATUS_OF

/** What happened to a payment, for its readers. */
export function paymentEvent<Type extends PaymentEvent>(
  type: Type,
  charge: ChangedCharge,
  failure: PaymentFailure | null = null,
  source: OutcomeSource = sourceOf(type, failure),
): Captured<Type> {
  return {
    merchantId: charge.merchantId,
    type,
    resource: { type: 'payment', id: charge.id, version: charge.version },
    data: dataOf(charge, STATUS_OF[type], failure, source),
  }
}

function dataOf(
  charge: ChangedCharge,
  status: TransactionStatus,
  failure: PaymentFailure | null,
  source: OutcomeSource,
): PaymentEventData {
  return {
    session_id: charge.openedBy,
    mandate_id: charge.standingMandateId,
    order_id: charge.orderId,
    external_order_ref: charge.externalOrderRef,
    status,
    amount: { value: amountFromMinor(charge.amountMinor), currency: charge.currency },
    outcome_source: source,
    failure_category: failure === null ? null : FAILURE_CATEGORY_OF[failure],
    error_code: failure,
  }
}

/** Which event tells of a fact; null: none does. */
export const TOLD_BY = {
  authorized: null,
  declined: null,
  captured: 'payment.captured',
  reversed: 'payment.reversed',
  expired: 'payment.reversed',
  refunded: 'payment.refunded',
  disputed: 'payment.disputed',
} as const satisfies Record<FactKind, EventType | null>

type ObservedEvent = NonNullable<(typeof TOLD_BY)[FactKind]>

/** What the network has told of a payment. */
export function observedEvent(
  charge: ChangedCharge & { status: ChargeStatus; failureCode: PaymentFailure | null },
  { kind, amount, merchant, occurredAt }: NetworkFact,
  sums: { capturedMinor: bigint; refundedMinor: bigint; countedMinor: bigint },
): Captured<ObservedEvent> {
  const type = TOLD_BY[kind]
  if (type === null) throw new Error(`No event tells that a payment was ${kind}.`)
  const { merchantId, id, version, failureCode: failure } = charge
  const data: PaymentEventData = {
    ...dataOf(charge, TRANSACTION_STATUS_OF[charge.status], failure, 'network_observed'),
    network: {
      amount: amountFromMinor(amount.minor),
      merchant,
      occurred_at: occurredAt.toISOString(),
      captured: amountFromMinor(sums.capturedMinor),
      refunded: amountFromMinor(sums.refundedMinor),
      counted: amountFromMinor(sums.countedMinor),
    },
  }
  return { merchantId, type, resource: { type: 'payment', id, version }, data }
}

/** A payment that no merchant reported. */
export const observedPaidEvent = (charge: ChangedCharge) =>
  paymentEvent('payment.succeeded', charge, null, 'network_observed')

/** Whether a payment was made or declined at the shop is known from its merchant alone. */
function sourceOf(type: PaymentEvent, failure: PaymentFailure | null): OutcomeSource {
  return type === 'payment.succeeded' || failure === 'PAYMENT_DECLINED' ? 'merchant_reported' : 'service_issued'
}

/** The event of a change that its holder is about to make: only then has the charge this version. */
export function nextEvent<Type extends PaymentEvent>(
  type: Type,
  work: ChangedCharge,
  failure: PaymentFailure | null = null,
  source?: OutcomeSource,
) {
  return paymentEvent(type, { ...work, version: work.version + 1 }, failure, source)
}

/** The values of every statement by which the holder of a charge records its end. */
export function valuesOf(
  work: Pick<ChargeFacts, 'merchantId' | 'id' | 'mandateId' | 'leaseFence' | 'version'>,
  { at, event }: { at: Date; event: EventRow },
) {
  const { merchantId, id, mandateId, leaseFence, version } = work
  return { merchantId, id, mandateId, leaseFence, version, at, ...event }
}
