import type { EventType, MandateStatus } from '@mintmark/contract'
import type { Captured } from '../db/command.ts'
import { amountFromMinor } from '../platform/money.ts'
import type { MandateRow } from './store.ts'

/** That a mandate is about to have this status: only the row as it was read becomes this version. */
export function mandateEvent<Type extends EventType>(
  type: Type,
  mandate: MandateRow,
  status: MandateStatus,
): Captured<Type> {
  return {
    merchantId: mandate.merchantId,
    type,
    resource: { type: 'mandate', id: mandate.id, version: mandate.version + 1 },
    data: {
      mandate_id: mandate.id,
      order_id: mandate.orderId,
      status,
      terms: {
        recurring_frequency: mandate.frequency,
        merchant_scope: mandate.merchantScope,
        max_charges: mandate.maxCharges,
        amount: { value: amountFromMinor(mandate.approvedMinor), currency: mandate.currency },
        valid_until: mandate.validUntil.toISOString(),
      },
    },
  }
}
