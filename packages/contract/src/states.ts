/** What a session can be for. */
export const SESSION_KINDS = ['payment', 'mandate_setup', 'enrollment'] as const
export type SessionKind = (typeof SESSION_KINDS)[number]

/** The closed sets of states that appear on the wire. Which state may follow which is in each feature's `states.ts`. */
export const SESSION_STATUSES = ['pending', 'processing', 'awaiting_result', 'completed', 'failed'] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

export const TRANSACTION_STATUSES = ['initiated', 'awaiting_result', 'completed', 'failed'] as const
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number]

export const LINE_ITEM_STATUSES = ['pending', 'credentials_generated', 'completed', 'failed'] as const
export type LineItemStatus = (typeof LINE_ITEM_STATUSES)[number]

/** A charge inside the service. `minting`: the network was or may have been asked; unknown is never failed. */
export const CHARGE_STATUSES = ['initiated', 'minting', 'awaiting_result', 'completed', 'failed'] as const
export type ChargeStatus = (typeof CHARGE_STATUSES)[number]

export const MANDATE_STATUSES = ['pending', 'active', 'paused', 'consumed', 'cancelled', 'expired'] as const
export type MandateStatus = (typeof MANDATE_STATUSES)[number]

/** Whether a mandate can be charged now, in one word: `available`, or why not. */
export const MANDATE_STATES = ['available', 'consumed', 'expired', 'paused', 'cancelled', 'pending'] as const
export type MandateState = (typeof MANDATE_STATES)[number]

export const CARD_STATUSES = ['provisioning', 'active', 'deleted'] as const
export type CardStatus = (typeof CARD_STATUSES)[number]

/** How a card reads in a list: one that was never accepted is in none. */
export const LISTED_CARD_STATUSES = ['active', 'deleted'] as const satisfies readonly CardStatus[]
export type ListedCardStatus = (typeof LISTED_CARD_STATUSES)[number]

/** Why a card is deleted; the last one when the request gives none. */
export const CARD_DELETION_REASONS = [
  'CUSTOMER_CONFIRMED',
  'LOST',
  'STOLEN',
  'SUSPECTED_FRAUD',
  'CLOSED_ACCOUNT',
  'OTHER',
] as const
export type CardDeletionReason = (typeof CARD_DELETION_REASONS)[number]

/** Why a card was deleted: a merchant asked, or its cardholder had chosen that it is kept for one payment only. */
export const CARD_END_REASONS = [...CARD_DELETION_REASONS, 'JUST_ONCE'] as const
export type CardEndReason = (typeof CARD_END_REASONS)[number]

export const REPORTED_OUTCOMES = ['APPROVED', 'DECLINED'] as const
export type ReportedOutcome = (typeof REPORTED_OUTCOMES)[number]

/** What the card network said to a reported outcome. */
export const CONFIRMATIONS = ['SUCCESS', 'FAILURE'] as const
export type Confirmation = (typeof CONFIRMATIONS)[number]

/** Whether the card network issued a credential for a charge. */
export const FETCH_STATUSES = ['SUCCESS', 'FAILURE'] as const
export type FetchStatus = (typeof FETCH_STATUSES)[number]

export const PRODUCT_STATUSES = ['COMPLETED', 'FAILED', 'CANCELED', 'INPROGRESS', 'PENDING', 'ONHOLD'] as const
export type ProductStatus = (typeof PRODUCT_STATUSES)[number]

export const RECURRING_FREQUENCIES = ['one_time', 'weekly', 'monthly', 'yearly'] as const
export type RecurringFrequency = (typeof RECURRING_FREQUENCIES)[number]

/** A mandate is shown with this many of its newest charges. */
export const MAX_CHARGES_SHOWN = 100

/**
 * How many mandates a page of their list has at most; also what a caller gets who does not ask for less: one who knows no cursors then misses
 * as little as possible.
 */
export const MAX_ON_A_PAGE = 500

export const MERCHANT_SCOPES = ['any', 'listed'] as const
export type MerchantScope = (typeof MERCHANT_SCOPES)[number]

export const INTEGRATION_TYPES = ['full_checkout', 'embedding'] as const
export type IntegrationType = (typeof INTEGRATION_TYPES)[number]

/** Test helper: where a headless cardholder walks away, after the named step has succeeded. */
export const STOP_AFTER = ['card', 'card_verification', 'passkey'] as const
export type StopAfter = (typeof STOP_AFTER)[number]

/** Why a payment session or its transaction failed: the `code` of `error` in a payment result. */
export const PAYMENT_FAILURES = {
  SESSION_EXPIRED: 'The session expired before the cardholder approved.',
  SESSION_REVOKED: 'The session was revoked by the merchant.',
  CANCELLED: 'The cardholder cancelled.',
  MANDATE_EXPIRED: 'The approval lapsed before an outcome was reported.',
  PAYMENT_DECLINED: 'The merchant reported the payment as declined.',
  CARD_DECLINED: 'The card network declined the card.',
  THRESHOLD_EXCEEDED: 'The amount is above what was approved, or above what is left of it.',
  MAX_CHARGES_EXCEEDED: 'The approval allows no further charge.',
  AGENT_LIMIT_EXCEEDED: 'The owner of the agent allows less.',
  OWNER_DENIED: 'The owner of the agent was asked, and said no.',
  OWNER_TIMEOUT: 'The owner of the agent was asked, and did not answer in time.',
  DELIVERY_REFUSED: 'The shop does not take this charge for the checkout session.',
  REPORT_TIMEOUT: 'No outcome was reported within 30 days after the credential lapsed.',
  CREDENTIAL_LAPSED: 'The credential lapsed before it was used.',
  INSUFFICIENT_FUNDS: 'The card has not enough funds.',
  MERCHANT_PREPARE_FAILED: 'The merchant does not sell what was quoted any more, or not at that price.',
  MERCHANT_ACTION_REQUIRED: 'The merchant wanted something that only a person could give, and nothing was paid.',
  PAYMENT_FAILED: 'The payment could not be made.',
} as const
export type PaymentFailure = keyof typeof PAYMENT_FAILURES
export const PAYMENT_FAILURE_CODES = Object.keys(PAYMENT_FAILURES) as PaymentFailure[]

/** Why a session that sets up a mandate failed. Nothing was charged by any of them: a setup issues no credential. */
export const SETUP_FAILURES = {
  SESSION_EXPIRED: 'The session expired before the cardholder approved.',
  SESSION_REVOKED: 'The session was revoked by the merchant.',
  CANCELLED: 'The cardholder cancelled.',
  CARD_DECLINED: 'The card network declined the card.',
  PAYMENT_FAILED: 'The card network did not register the mandate.',
} as const satisfies Partial<Record<PaymentFailure, string>>
export type SetupFailure = keyof typeof SETUP_FAILURES
export const SETUP_FAILURE_CODES = Object.keys(SETUP_FAILURES) as SetupFailure[]

/** `provision_only`: the card alone, without its cardholder. `full_enrollment`: card and passkey, at the page. */
export const ENROLLMENT_MODES = ['provision_only', 'full_enrollment'] as const
export type EnrollmentMode = (typeof ENROLLMENT_MODES)[number]

/** How the enrollment of a card stands, on the wire. */
export const ENROLLMENT_STATUSES = [
  'requires_action',
  'processing',
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const
export type EnrollmentStatus = (typeof ENROLLMENT_STATUSES)[number]

/** How far the card came. */
export const ENROLLMENT_OUTCOMES = ['not_started', 'card_provisioned', 'fully_enrolled'] as const
export type EnrollmentOutcome = (typeof ENROLLMENT_OUTCOMES)[number]

/** The passkey of a completed enrollment: made in it, or there before and verified. */
export const ENROLLED_PASSKEYS = ['registered', 'existing'] as const
export type EnrolledPasskey = (typeof ENROLLED_PASSKEYS)[number]

/** Whether the merchant named a consent. Its reference itself is not kept. */
export const CONSENT_STATUSES = ['provided', 'not_provided'] as const
export type ConsentStatus = (typeof CONSENT_STATUSES)[number]

/**
 * Why an enrollment failed, or its last try: the `code` of `error` in its status. Whether it may be tried again is the
 * status's to say: while it `requires_action` it may.
 */
export const ENROLLMENT_ERRORS = {
  CARD_NUMBER_INVALID: 'The card network does not know the card number.',
  CARD_EXPIRED: 'The card has expired.',
  CVV_MISMATCH: 'The security code is not that of the card.',
  CARD_DECLINED: 'The card network declined the card.',
  STEP_UP_INVALID: 'The code that was entered is not the one that the card network sent.',
  STEP_UP_EXHAUSTED: 'Too many wrong codes were entered.',
  DEVICE_BINDING_FAILED: 'The card network could not bind the card to the device.',
  NETWORK_UNAVAILABLE: 'The card network did not answer.',
  PASSKEY_FAILED: 'The passkey could not be verified.',
  PASSKEY_BLOCKED: "The customer's passkey can no longer be used.",
  BIN_COUNTRY_NOT_ALLOWED: 'Cards of this country are not accepted.',
  BIN_ISSUER_NOT_ALLOWED: 'Cards of this issuer are not accepted.',
  SESSION_REVOKED: 'The session was revoked by the merchant.',
} as const
export type EnrollmentError = keyof typeof ENROLLMENT_ERRORS
export const ENROLLMENT_ERROR_CODES = Object.keys(ENROLLMENT_ERRORS) as EnrollmentError[]

/** How the purchase of a quote-backed session stands at the shop: `merchant_res.status`. */
export const MERCHANT_RESULT_STATUSES = [
  'pending',
  'quote_ready',
  'prepared',
  'prepare_failed',
  'paid',
  'failed',
  'needs_human',
  'unknown',
] as const
export type MerchantResultStatus = (typeof MERCHANT_RESULT_STATUSES)[number]

/** How a session whose result is simulated really ended. */
export const OBSERVED_STATUSES = ['completed', 'failed'] as const satisfies readonly SessionStatus[]
export type ObservedStatus = (typeof OBSERVED_STATUSES)[number]

/** What a quote points out and does not refuse. */
export const CHECKOUT_WARNINGS = {
  ADDRESS_UNIT_CONFIRMATION_SUGGESTED: 'The address may need an apartment or unit number.',
} as const
export type CheckoutWarningCode = keyof typeof CHECKOUT_WARNINGS

/** How a shop is spoken to: the interface of our own sandbox shop, or the Agentic Commerce Protocol. */
export const SHOP_ADAPTERS = ['native', 'acp'] as const
export type ShopAdapter = (typeof SHOP_ADAPTERS)[number]

/** Whether anything is bought at a shop. */
export const SHOP_STATUSES = ['active', 'disabled'] as const
export type ShopStatus = (typeof SHOP_STATUSES)[number]

/** What the wire says of a charge. */
export const TRANSACTION_STATUS_OF: Record<ChargeStatus, TransactionStatus> = {
  initiated: 'initiated',
  minting: 'initiated',
  awaiting_result: 'awaiting_result',
  completed: 'completed',
  failed: 'failed',
}
