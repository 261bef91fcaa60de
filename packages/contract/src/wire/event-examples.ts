import { EVENT_SCHEMA_VERSION, type EventType, FAILURE_CATEGORY_OF, type FailureCategory } from '../events.ts'
import type { MandateStatus } from '../states.ts'
import type {
  CardDeletedEventData,
  EnrollmentEventData,
  EventTerms,
  MandateEventData,
  PasskeyResetEventData,
  PaymentEventData,
  RevokedEventData,
  SetupEventData,
} from './event-data.ts'

// One body of each kind, with ids that no service makes and nothing of a real person or card. Also what a test event
// says.

const IDS = {
  event: 'evt_06gq2w9k5v0000000000000001',
  account: 'ma_cfwwbr254g',
  session: 'sess_06gq2w9k5v0000000000000002',
  order: 'ord_06gq2w9k5v0000000000000003',
  payment: 'txn_06gq2w9k5v0000000000000004',
  mandate: 'mdt_06gq2w9k5v0000000000000005',
  card: 'card_06gq2w9k5v0000000000000006',
  customer: 'cus_06gq2w9k5v0000000000000007',
} as const

/** What every body begins with. */
export const envelope = <Kind extends EventType>(type: Kind) => ({
  id: IDS.event as string,
  type,
  schema_version: EVENT_SCHEMA_VERSION as string,
  occurred_at: '2026-11-21T12:30:15.000Z',
  environment: 'sandbox' as const,
  account_id: IDS.account as string,
})

type Example<Data> = { resource: { id: string; version: number }; data: Data }

const ORDER = { order_id: IDS.order, external_order_ref: 'order-1001' }
const AMOUNT = { value: '40.00', currency: 'USD' }
const CARD = { last4: '4242', brand: 'visa', exp_month: 12, exp_year: 2029 }
const TERMS: EventTerms = {
  recurring_frequency: 'monthly',
  merchant_scope: 'listed',
  max_charges: null,
  amount: AMOUNT,
  valid_until: '2028-11-21T12:30:15.000Z',
}

/** A payment of a session; the failed one was declined by the card network. */
export const payment = (
  version: number,
  status: 'awaiting_result' | 'completed' | 'failed',
): Example<PaymentEventData> => ({
  resource: { id: IDS.payment, version },
  data: {
    session_id: IDS.session,
    mandate_id: null,
    ...ORDER,
    status,
    amount: AMOUNT,
    outcome_source: status === 'completed' ? 'merchant_reported' : 'service_issued',
    failure_category: status === 'failed' ? FAILURE_CATEGORY_OF.CARD_DECLINED : null,
    error_code: status === 'failed' ? 'CARD_DECLINED' : null,
  },
})

/** A charge against a standing mandate. */
export const overdueCharge: Example<PaymentEventData> = {
  resource: { id: IDS.payment, version: 3 },
  data: { ...payment(3, 'awaiting_result').data, session_id: null, mandate_id: IDS.mandate },
}

/** What the card network has told of it. */
export const observedPayment = (
  version: number,
  amount: string,
  sums: { captured: string; refunded: string; counted: string },
): Example<PaymentEventData> => ({
  resource: { id: IDS.payment, version },
  data: {
    ...payment(version, 'completed').data,
    outcome_source: 'network_observed',
    network: { amount, merchant: 'TEA SHOP BERLIN', occurred_at: '2026-11-21T12:30:10.000Z', ...sums },
  },
})

export const revokedSession: Example<RevokedEventData> = {
  resource: { id: IDS.session, version: 2 },
  data: {
    session_id: IDS.session,
    txn_id: IDS.payment,
    mandate_id: null,
    ...ORDER,
    status: 'failed',
    failure_category: 'revoked',
    error_code: 'SESSION_REVOKED',
  },
}

type EndedEnrollment<Status> = Example<EnrollmentEventData & { status: Status }>

export const completedEnrollment: EndedEnrollment<'completed'> = {
  resource: { id: IDS.session, version: 1 },
  data: {
    session_id: IDS.session,
    status: 'completed',
    outcome: 'fully_enrolled',
    card_id: IDS.card,
    passkey: 'registered',
    consent_status: 'provided',
    card: CARD,
    failure_category: null,
  },
}

/** One that ended before a card was accepted. */
export const endedEnrollment = <Status extends 'failed' | 'cancelled' | 'expired'>(
  status: Status,
  failure_category: FailureCategory,
): EndedEnrollment<Status> => ({
  resource: { id: IDS.session, version: 1 },
  data: {
    session_id: IDS.session,
    status,
    outcome: 'not_started',
    card_id: null,
    passkey: null,
    consent_status: 'provided',
    card: null,
    failure_category,
  },
})

type EndedSetup<Status> = Example<SetupEventData & { status: Status }>

export const createdMandate: EndedSetup<'completed'> = {
  resource: { id: IDS.session, version: 1 },
  data: {
    session_id: IDS.session,
    order_id: IDS.order,
    status: 'completed',
    mandate_id: IDS.mandate,
    terms: TERMS,
    failure_category: null,
  },
}

/** One that ended before anything was allowed. */
export const endedSetup = (failure_category: FailureCategory): EndedSetup<'failed'> => ({
  resource: { id: IDS.session, version: 1 },
  data: { ...createdMandate.data, status: 'failed', terms: null, failure_category },
})

/** One that was allowed, and refused by the card network. */
export const failedSetup: EndedSetup<'failed'> = {
  resource: { id: IDS.session, version: 1 },
  data: { ...createdMandate.data, status: 'failed', failure_category: FAILURE_CATEGORY_OF.CARD_DECLINED },
}

export const mandate = (version: number, status: MandateStatus): Example<MandateEventData> => ({
  resource: { id: IDS.mandate, version },
  data: {
    mandate_id: IDS.mandate,
    order_id: IDS.order,
    status,
    terms: status === 'consumed' ? { ...TERMS, recurring_frequency: 'one_time', max_charges: 1 } : TERMS,
  },
})

export const deletedCard: Example<CardDeletedEventData> = {
  resource: { id: IDS.card, version: 1 },
  data: {
    card_id: IDS.card,
    status: 'deleted',
    reason: 'CUSTOMER_CONFIRMED',
    was_default: true,
    new_default_card_id: null,
    network_token_deleted: true,
    card: CARD,
  },
}

export const allowedReset: Example<PasskeyResetEventData> = {
  resource: { id: IDS.customer, version: 1 },
  data: { customer_id: IDS.customer, allowed_by: 'merchant', expires_at: '2026-11-22T12:30:15.000Z' },
}
