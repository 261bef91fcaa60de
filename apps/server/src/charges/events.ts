import type { EventType, PaymentFailure } from '@mintmark/contract'
import type { Captured, EventRow } from '../db/command.ts'
import type { ChangedCharge, ChargeWork } from './store.ts'

/** What happened to a payment, for its readers. */
export function paymentEvent<Type extends EventType>(
  type: Type,
  charge: ChangedCharge,
  failure: PaymentFailure | null = null,
): Captured<Type> {
  return {
    merchantId: charge.merchantId,
    type,
    resource: { type: 'payment', id: charge.id, version: charge.version },
    data: {
      session_id: charge.openedBy,
      mandate_id: charge.standingMandateId,
      order_id: charge.orderId,
      external_order_ref: charge.externalOrderRef,
      txn_id: charge.id,
      error_code: failure,
    },
  }
}

/** The event of a change that its holder is about to make: only then has the charge this version. */
export function nextEvent<Type extends EventType>(type: Type, work: ChargeWork, failure: PaymentFailure | null = null) {
  return paymentEvent(type, { ...work, version: work.version + 1 }, failure)
}

/** The values of every statement by which the holder of a charge records its end. */
export function valuesOf(work: ChargeWork, { at, event }: { at: Date; event: EventRow }) {
  const { merchantId, id, mandateId, leaseFence, version } = work
  return { merchantId, id, mandateId, leaseFence, version, at, ...event }
}
