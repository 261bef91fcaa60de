import type { EventType, PaymentFailure } from '@mintmark/contract'
import type { Captured } from '../db/command.ts'
import type { ChangedCharge } from './store.ts'

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
      order_id: charge.orderId,
      external_order_ref: charge.externalOrderRef,
      txn_id: charge.id,
      error_code: failure,
    },
  }
}
