// Generated from packages/contract/src/wire/events.ts. Change the source, then run: npm run docs

/** Every kind that this version knows. */
export const EVENT_TYPES = [
  'payment.credentials_ready',
  'payment.succeeded',
  'payment.failed',
  'charge.report_overdue',
  'payment.captured',
  'payment.refunded',
  'payment.reversed',
  'payment.disputed',
  'session.revoked',
  'card_enrollment.completed',
  'card_enrollment.failed',
  'card_enrollment.cancelled',
  'card_enrollment.expired',
  'mandate.created',
  'mandate.creation_failed',
  'mandate.creation_cancelled',
  'mandate.creation_expired',
  'mandate.paused',
  'mandate.resumed',
  'mandate.cancelled',
  'mandate.consumed',
  'mandate.expired',
  'card.deleted',
  'passkey.reset_allowed',
] as const

/** What all events have in common. */
export interface EventBody<Type extends string, Resource extends string, Data> {
  /** The event. Unique; a receiver that knows it has seen the event. */
  id: string
  /** The kind. */
  type: Type
  /** The date of the shape of this body. */
  schema_version: string
  /** When it happened, UTC. */
  occurred_at: string
  /** Where it happened. */
  environment: 'sandbox' | 'production'
  /** The merchant account. */
  account_id: string
  /** What changed. */
  resource: {
    /** What changed. */
    type: Resource
    /** Its id. */
    id: string
    /** Rises with each captured change of the resource: of two events about it, the greater is the newer. */
    version: number
  }
  /** Public facts, by the resource. */
  data: Data
  /** Only in events that you asked for as a test: their data is an example. */
  test?: true
}

/** The `data` of events about a `payment`. */
export interface PaymentData {
  /** The session; null for a charge against a standing mandate. */
  session_id: string | null
  /** The mandate; null unless it is a standing one. */
  mandate_id: string | null
  /** The order of the session; for a charge against a mandate, that of the session that set the mandate up. */
  order_id: string
  /** Your own reference of that order, or null. */
  external_order_ref: string | null
  /** How the transaction stands. */
  status: 'awaiting_result' | 'completed' | 'failed'
  /** What was to be paid. */
  amount: {
    /** A decimal string. */
    value: string
    /** ISO 4217. */
    currency: string
  }
  /** Where the outcome comes from. */
  outcome_source: 'service_issued' | 'merchant_reported' | 'merchant_observed' | 'network_observed'
  /** Why it came to nothing, for readers who count; null where it did not. */
  failure_category:
    | 'expired'
    | 'cancelled'
    | 'revoked'
    | 'card_declined'
    | 'limit_exceeded'
    | 'payment_declined'
    | 'unreported'
    | 'refused'
    | null
  /** Why it failed; null where it did not. */
  error_code:
    | 'SESSION_EXPIRED'
    | 'SESSION_REVOKED'
    | 'CANCELLED'
    | 'MANDATE_EXPIRED'
    | 'PAYMENT_DECLINED'
    | 'CARD_DECLINED'
    | 'THRESHOLD_EXCEEDED'
    | 'MAX_CHARGES_EXCEEDED'
    | 'AGENT_LIMIT_EXCEEDED'
    | 'OWNER_DENIED'
    | 'OWNER_TIMEOUT'
    | 'DELIVERY_REFUSED'
    | 'REPORT_TIMEOUT'
    | 'CREDENTIAL_LAPSED'
    | 'INSUFFICIENT_FUNDS'
    | 'MERCHANT_PREPARE_FAILED'
    | 'MERCHANT_ACTION_REQUIRED'
    | 'PAYMENT_FAILED'
    | null
  /** What the card network has told; only in the events that tell of nothing else. */
  network?: {
    /** What was captured, refunded, reversed or disputed by this one act, in the currency of the payment. */
    amount: string
    /** The shop as the network names it, or null. */
    merchant: string | null
    /** When it happened, as the network says it. */
    occurred_at: string
    /** What was captured of the payment in all. */
    captured: string
    /** What was refunded of the payment in all. */
    refunded: string
    /** What the payment counts for in the window of its mandate from now on. */
    counted: string
  }
}

/** The `data` of events about a `session`. */
export interface SessionData {
  /** The session. */
  session_id: string
  /** Its transaction; null unless it was a payment. */
  txn_id: string | null
  /** The mandate that is not to be; null unless it was to set up one. */
  mandate_id: string | null
  /** The order of the session; null for the enrollment of a card. */
  order_id: string | null
  /** Your own reference of that order, or null. */
  external_order_ref: string | null
  /** How the session ended. */
  status: 'failed'
  /** Why it came to nothing, for readers who count. */
  failure_category: 'revoked'
  /** Why it failed. */
  error_code: 'SESSION_REVOKED'
}

/** The `data` of events about a `card_enrollment`. */
export interface CardEnrollmentData {
  /** The session. */
  session_id: string
  /** How the enrollment ended. */
  status: 'completed' | 'failed' | 'cancelled' | 'expired'
  /** How far the card came. */
  outcome: 'not_started' | 'card_provisioned' | 'fully_enrolled'
  /** The card; null where the network has accepted none. */
  card_id: string | null
  /** Whether the passkey is new; null unless the enrollment is completed. */
  passkey: 'registered' | 'existing' | null
  /** Whether you named a consent. */
  consent_status: 'provided' | 'not_provided'
  /** What may be shown of the card; null where `card_id` is. */
  card: {
    /** The last four digits of the card. */
    last4: string
    /** Its brand, where it is known. */
    brand: string | null
    /** The month of its expiry. */
    exp_month: number
    /** The year of its expiry, four digits. */
    exp_year: number
  } | null
  /** Why it came to nothing, for readers who count; null where it did not. */
  failure_category:
    | 'expired'
    | 'cancelled'
    | 'revoked'
    | 'card_declined'
    | 'limit_exceeded'
    | 'payment_declined'
    | 'unreported'
    | 'refused'
    | null
}

/** The `data` of events about a `mandate_setup`. */
export interface MandateSetupData {
  /** The session that set it up. */
  session_id: string
  /** The order of the session. */
  order_id: string
  /** How the session ended. */
  status: 'completed' | 'failed'
  /** The mandate. */
  mandate_id: string
  /** What was allowed; null where nothing was. */
  terms: {
    /** How long a window is. */
    recurring_frequency: 'one_time' | 'weekly' | 'monthly' | 'yearly'
    /** Whether only the named merchant may be paid. */
    merchant_scope: 'any' | 'listed'
    /** How many charges it allows in all; null for any number. */
    max_charges: number | null
    /** The cap of one charge, and of one window. */
    amount: {
      /** A decimal string. */
      value: string
      /** ISO 4217. */
      currency: string
    }
    /** Its end. */
    valid_until: string
  } | null
  /** Why it came to nothing, for readers who count; null where it did not. */
  failure_category:
    | 'expired'
    | 'cancelled'
    | 'revoked'
    | 'card_declined'
    | 'limit_exceeded'
    | 'payment_declined'
    | 'unreported'
    | 'refused'
    | null
}

/** The `data` of events about a `mandate`. */
export interface MandateData {
  /** The mandate. */
  mandate_id: string
  /** The order of the session that set it up; null for the mandate of an ordinary checkout. */
  order_id: string | null
  /** How the mandate stands. */
  status: 'paused' | 'active' | 'cancelled' | 'consumed' | 'expired'
  /** What was allowed. */
  terms: {
    /** How long a window is. */
    recurring_frequency: 'one_time' | 'weekly' | 'monthly' | 'yearly'
    /** Whether only the named merchant may be paid. */
    merchant_scope: 'any' | 'listed'
    /** How many charges it allows in all; null for any number. */
    max_charges: number | null
    /** The cap of one charge, and of one window. */
    amount: {
      /** A decimal string. */
      value: string
      /** ISO 4217. */
      currency: string
    }
    /** Its end. */
    valid_until: string
  }
}

/** The `data` of events about a `card`. */
export interface CardData {
  /** The card. */
  card_id: string
  /** How the card stands. */
  status: 'deleted'
  /** As it was asked for; `JUST_ONCE` where its cardholder had chosen that it is not kept, and its session has ended. */
  reason: 'CUSTOMER_CONFIRMED' | 'LOST' | 'STOLEN' | 'SUSPECTED_FRAUD' | 'CLOSED_ACCOUNT' | 'OTHER' | 'JUST_ONCE'
  /** Whether it was the default card. */
  was_default: boolean
  /** The card that became the default in its place, or null. */
  new_default_card_id: string | null
  /** Whether the card network deleted its token. */
  network_token_deleted: boolean
  /** What may be shown of the card. */
  card: {
    /** The last four digits of the card. */
    last4: string
    /** Its brand, where it is known. */
    brand: string | null
    /** The month of its expiry. */
    exp_month: number
    /** The year of its expiry, four digits. */
    exp_year: number
  }
}

/** The `data` of events about a `customer`. */
export interface CustomerData {
  /** The customer. */
  customer_id: string
  /** The merchant over the API, or an operator of the service. */
  allowed_by: 'merchant' | 'operator'
  /** Until when the passkey may be replaced. */
  expires_at: string
}

/** The body of each kind. */
export interface EventsByType {
  /** The network minted. The session is `awaiting_result`. For a charge against a mandate, `session_id` is null and `mandate_id` is not. */
  'payment.credentials_ready': EventBody<
    'payment.credentials_ready',
    'payment',
    PaymentData & { status: 'awaiting_result' }
  >
  /** It was paid: reported as approved, or captured at the card network. The session is `completed`. */
  'payment.succeeded': EventBody<'payment.succeeded', 'payment', PaymentData & { status: 'completed' }>
  /** Nothing was paid, and nothing will be: refused, declined, expired, cancelled, above a limit, or not reported in time. The session, or the charge against a mandate, is `failed`. */
  'payment.failed': EventBody<'payment.failed', 'payment', PaymentData & { status: 'failed' }>
  /** The credential of a charge against a mandate was used, and a day after it lapsed there is no report. It can be reported until 30 days after the lapse, and then fails with `REPORT_TIMEOUT`. */
  'charge.report_overdue': EventBody<'charge.report_overdue', 'payment', PaymentData & { status: 'awaiting_result' }>
  /** The card network told that the shop took the payment, or a part of it. */
  'payment.captured': EventBody<'payment.captured', 'payment', PaymentData>
  /** The card network told that the shop refunded the payment, or a part. The mandate gets nothing back. */
  'payment.refunded': EventBody<'payment.refunded', 'payment', PaymentData>
  /** The card network told that what was authorized, or a part of it, was given up: reversed or expired. */
  'payment.reversed': EventBody<'payment.reversed', 'payment', PaymentData>
  /** The card network told that the payment is contested. */
  'payment.disputed': EventBody<'payment.disputed', 'payment', PaymentData>
  /** The merchant revoked the session. There is no event of what it was for beside it. */
  'session.revoked': EventBody<'session.revoked', 'session', SessionData>
  /** Card and passkey are there. */
  'card_enrollment.completed': EventBody<
    'card_enrollment.completed',
    'card_enrollment',
    CardEnrollmentData & { status: 'completed' }
  >
  /** It cannot come to an end: the card is not accepted, or the passkey can no longer be used. A revoke is told by `session.revoked` alone. */
  'card_enrollment.failed': EventBody<
    'card_enrollment.failed',
    'card_enrollment',
    CardEnrollmentData & { status: 'failed' }
  >
  /** The cardholder gave up. `card_id` names the card where one was provisioned by then. */
  'card_enrollment.cancelled': EventBody<
    'card_enrollment.cancelled',
    'card_enrollment',
    CardEnrollmentData & { status: 'cancelled' }
  >
  /** The session expired before the enrollment was completed. */
  'card_enrollment.expired': EventBody<
    'card_enrollment.expired',
    'card_enrollment',
    CardEnrollmentData & { status: 'expired' }
  >
  /** A standing mandate was approved, and the network registered it. */
  'mandate.created': EventBody<'mandate.created', 'mandate_setup', MandateSetupData & { status: 'completed' }>
  /** The network refused to register an approved mandate, or its card was deleted before it had. */
  'mandate.creation_failed': EventBody<
    'mandate.creation_failed',
    'mandate_setup',
    MandateSetupData & { status: 'failed' }
  >
  /** The cardholder gave up before approving. */
  'mandate.creation_cancelled': EventBody<
    'mandate.creation_cancelled',
    'mandate_setup',
    MandateSetupData & { status: 'failed' }
  >
  /** The session expired before the cardholder approved. */
  'mandate.creation_expired': EventBody<
    'mandate.creation_expired',
    'mandate_setup',
    MandateSetupData & { status: 'failed' }
  >
  /** Its owner paused it. */
  'mandate.paused': EventBody<'mandate.paused', 'mandate', MandateData & { status: 'paused' }>
  /** Its owner resumed it. */
  'mandate.resumed': EventBody<'mandate.resumed', 'mandate', MandateData & { status: 'active' }>
  /** Its owner cancelled it, or its card was deleted. The end of a payment that ends its mandate too is told by the payment. */
  'mandate.cancelled': EventBody<'mandate.cancelled', 'mandate', MandateData & { status: 'cancelled' }>
  /** The payment it was for was made. Mandates for more than one stay as they are. */
  'mandate.consumed': EventBody<'mandate.consumed', 'mandate', MandateData & { status: 'consumed' }>
  /** Its time passed. Reads say so from that moment on, the event follows within seconds. */
  'mandate.expired': EventBody<'mandate.expired', 'mandate', MandateData & { status: 'expired' }>
  /** A card was deleted: you asked for it, or its cardholder had entered it for one payment only. The mandates that it paid are cancelled, each with an event of its own. */
  'card.deleted': EventBody<'card.deleted', 'card', CardData>
  /** A customer who lost the passkey may replace it: with the CVV of a card and the code of its issuer, and not by a link alone. */
  'passkey.reset_allowed': EventBody<'passkey.reset_allowed', 'customer', CustomerData>
}

export type EventType = keyof EventsByType

/** Any event: `type` says which, and TypeScript then knows its `data`. */
export type MintmarkEvent = EventsByType[EventType]
