import {
  type EventTerms,
  type EventType,
  FAILURE_CATEGORY_OF,
  type MandateEventData,
  type MandateStatus,
  type SetupEventData,
  type SetupFailure,
} from '@mintmark/contract'
import type { Captured } from '../db/command.ts'
import { amountFromMinor } from '../platform/money.ts'
import type { SetupFacts } from './setup-fragments.ts'
import type { MandateRow } from './store.ts'

/** That a mandate is about to have this status: only the row as it was read becomes this version. */
export function mandateEvent<Type extends EventType>(
  type: Type,
  mandate: Pick<MandateRow, 'merchantId' | 'id' | 'version' | 'orderId'> & Terms,
  status: MandateStatus,
): Captured<Type> {
  const { merchantId, id, orderId, version } = mandate
  const data: MandateEventData = { mandate_id: id, order_id: orderId, status, terms: termsOf(mandate) }
  return { merchantId, type, resource: { type: 'mandate', id, version: version + 1 }, data }
}

type SetupEvent = Extract<EventType, `mandate.creat${string}`>

/**
 * How a setup ended. It ends once, so this is the one event of the resource. The terms are those that were allowed;
 * null where nothing was.
 */
export function setupEvent<Type extends SetupEvent>(
  type: Type,
  setup: SetupFacts,
  failure: SetupFailure | null = null,
): Captured<Type> {
  const { merchantId, sessionId, orderId, id, approvalHash } = setup
  const data: SetupEventData = {
    session_id: sessionId,
    order_id: orderId,
    status: failure === null ? 'completed' : 'failed',
    mandate_id: id,
    terms: approvalHash === null ? null : termsOf(setup),
    failure_category: failure === null ? null : FAILURE_CATEGORY_OF[failure],
  }
  return { merchantId, type, resource: { type: 'mandate_setup', id: sessionId, version: 1 }, data }
}

type Terms = Pick<
  MandateRow,
  'frequency' | 'merchantScope' | 'maxCharges' | 'approvedMinor' | 'currency' | 'validUntil'
>

function termsOf(mandate: Terms): EventTerms {
  return {
    recurring_frequency: mandate.frequency,
    merchant_scope: mandate.merchantScope,
    max_charges: mandate.maxCharges,
    amount: { value: amountFromMinor(mandate.approvedMinor), currency: mandate.currency },
    valid_until: mandate.validUntil.toISOString(),
  }
}
