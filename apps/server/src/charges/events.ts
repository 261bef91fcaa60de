import {
  FAILURE_CATEGORY_OF,
  type OutcomeSource,
  type PaymentEventData,
  type PaymentFailure,
  type TransactionStatus,
} from '@mintmark/contract'
import type { Captured, EventRow } from '../db/command.ts'
import { amountFromMinor } from '../platform/money.ts'
import type { ChangedCharge } from './store.ts'
import type { ReportedWork } from './work-fragments.ts'

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
  const data: PaymentEventData = {
    session_id: charge.openedBy,
    mandate_id: charge.standingMandateId,
    order_id: charge.orderId,
    external_order_ref: charge.externalOrderRef,
    status: STATUS_OF[type],
    amount: { value: amountFromMinor(charge.amountMinor), currency: charge.currency },
    outcome_source: source,
    failure_category: failure === null ? null : FAILURE_CATEGORY_OF[failure],
    error_code: failure,
  }
  return {
    merchantId: charge.merchantId,
    type,
    resource: { type: 'payment', id: charge.id, version: charge.version },
    data,
  }
}

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

/** The values of every statement by which the holder of a charge records its end. `from`: the status it has until then. */
export function valuesOf(
  work: Pick<ReportedWork, 'merchantId' | 'id' | 'mandateId' | 'leaseFence' | 'version' | 'reportedOutcome'>,
  from: 'minting' | 'awaiting_result',
  { at, event }: { at: Date; event: EventRow },
) {
  const { merchantId, id, mandateId, leaseFence, version, reportedOutcome } = work
  return { merchantId, id, mandateId, leaseFence, version, from, reportedOutcome, at, ...event }
}
