import type { EventType, MandateStatus, SetupFailure } from '@mintmark/contract'
import type { Captured } from '../db/command.ts'
import { amountFromMinor } from '../platform/money.ts'
import type { SetupFacts } from './setup-fragments.ts'
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
      terms: termsOf(mandate),
    },
  }
}

type SetupEvent = Extract<EventType, `mandate.creat${string}`>

/** Why a setup came to nothing, for readers who count. */
const FAILURE_CATEGORIES: Record<SetupFailure, string> = {
  SESSION_EXPIRED: 'expired',
  SESSION_REVOKED: 'revoked',
  CANCELLED: 'cancelled',
  CARD_DECLINED: 'card_declined',
  PAYMENT_FAILED: 'network_refused',
}

/**
 * How a setup ended. It ends once, so this is the one event of the resource. The terms are those that were allowed; null
 * where nothing was.
 */
export function setupEvent<Type extends SetupEvent>(
  type: Type,
  setup: SetupFacts,
  failure: SetupFailure | null = null,
): Captured<Type> {
  const { merchantId, sessionId, orderId, id, approvalHash } = setup
  return {
    merchantId,
    type,
    resource: { type: 'mandate_setup', id: sessionId, version: 1 },
    data: {
      session_id: sessionId,
      order_id: orderId,
      status: failure === null ? 'completed' : 'failed',
      mandate_id: id,
      terms: approvalHash === null ? null : termsOf(setup),
      failure_category: failure === null ? null : FAILURE_CATEGORIES[failure],
    },
  }
}

function termsOf(
  mandate: Pick<MandateRow, 'frequency' | 'merchantScope' | 'maxCharges' | 'approvedMinor' | 'currency' | 'validUntil'>,
) {
  return {
    recurring_frequency: mandate.frequency,
    merchant_scope: mandate.merchantScope,
    max_charges: mandate.maxCharges,
    amount: { value: amountFromMinor(mandate.approvedMinor), currency: mandate.currency },
    valid_until: mandate.validUntil.toISOString(),
  }
}
