import type {
  CardStatus,
  CartStatus,
  ChargeStatus,
  DeliveryState,
  EndpointState,
  EnrollmentOutcome,
  EnrollmentStatus,
  LineItemStatus,
  MandateStatus,
  PauseReason,
  SessionStatus,
  TransactionStatus,
  WalletCustomerStatus,
} from '@mintmark/contract'
import type { PurchaseState } from '../../apps/server/src/checkout/purchases/states.ts'

/** Keyed by the unions, so a new state does not compile until it is explained here. */
export const SESSION_TEXTS: Readonly<Record<SessionStatus, string>> = {
  pending: 'The cardholder has not approved. They may choose a card, register a passkey, or walk away.',
  processing: 'Approved. The card network is being asked, or has not said yet. Keep polling.',
  awaiting_result: 'A credential exists and is in the payment result. Pay with it, then report.',
  completed: 'Reported as approved, and the network knows. Terminal.',
  failed: 'Ended without a payment; `error.code` says why. Terminal.',
}

/** Every combination that there is. */
export const ENROLLMENT_TEXTS: readonly (readonly [EnrollmentStatus, readonly EnrollmentOutcome[], string])[] = [
  [
    'requires_action',
    ['not_started'],
    'The cardholder has to go on at the page. `error` says why the last try failed.',
  ],
  [
    'requires_action',
    ['card_provisioned'],
    'The network has accepted the card; the passkey is still to come. `error` says why the last try failed.',
  ],
  ['processing', ['not_started', 'card_provisioned'], 'The network is asked, or a passkey is verified. Keep polling.'],
  ['completed', ['fully_enrolled'], 'Card and passkey are there. The only success. Terminal.'],
  ['failed', ['not_started', 'card_provisioned'], 'It cannot come to an end; `error` says why. Terminal.'],
  ['cancelled', ['not_started', 'card_provisioned'], 'The cardholder gave up. Terminal.'],
  ['expired', ['not_started', 'card_provisioned'], 'The session expired before it was completed. Terminal.'],
]

export const TRANSACTION_TEXTS: Readonly<Record<TransactionStatus, string>> = {
  initiated: 'No credential yet.',
  awaiting_result: 'A credential exists; no outcome is confirmed.',
  completed: 'Paid.',
  failed: 'Not paid.',
}

export const LINE_ITEM_TEXTS: Readonly<Record<LineItemStatus, string>> = {
  pending: 'No credential yet.',
  credentials_generated: '`token`, `dynamic_cvv`, `expiry_month` and `expiry_year` are filled until a report arrives.',
  completed: 'Paid; the credential is erased.',
  failed: 'Not paid; the credential, if there was one, is erased.',
}

export const CHARGE_TEXTS: Readonly<Record<ChargeStatus, string>> = {
  initiated: 'Written with its session.',
  minting: 'The network was asked, or may have been. Only its word ends this, or a revoke, which voids at the network.',
  awaiting_result: 'A credential is stored, sealed.',
  completed: 'Reported as approved and confirmed. Terminal.',
  failed: 'No payment came of it. Terminal.',
}

export const MANDATE_TEXTS: Readonly<Record<MandateStatus, string>> = {
  pending:
    'The network has not registered the instruction. A standing mandate is made with the session that sets it up, that of a checkout with its approval.',
  active: 'The network mints against it.',
  paused: 'Held by its owner: nothing is charged until it is resumed.',
  consumed: 'A one-time mandate whose payment was reported as approved. Terminal.',
  cancelled:
    'Ended by its owner or with its card; or, of a checkout, by a revoke, a refusal or a declined report. The network is told. Terminal.',
  expired: 'Its time passed; of a checkout, before a report. Terminal.',
}

export const CARD_TEXTS: Readonly<Record<CardStatus, string>> = {
  provisioning: 'Entered; the network has not accepted it, or waits for a verification code.',
  active: 'Accepted by the network. May be chosen and paid with.',
  deleted:
    'Deleted by the merchant, refused, abandoned, or used just this once. Its number is destroyed. Entering a deleted card again enrolls it anew.',
}

export const ENDPOINT_TEXTS: Readonly<Record<EndpointState, string>> = {
  paused: 'Verified, and its owner does not want it to be sent to. What was queued waits.',
  unverified: 'Its URL has not returned a challenge: it is new, or its URL was changed.',
  active: 'It is sent to.',
  circuit_open: 'Five attempts in a row were not acknowledged. It rests for five minutes, then one probe is sent.',
  disabled: 'The service has given it up. Its owner verifies and enables it again, or changes its URL.',
}

export const PAUSE_TEXTS: Readonly<Record<PauseReason, string>> = {
  not_enabled: 'Enable it: `PATCH` with `enabled: true`.',
  unverified: 'It is new: verify it.',
  url_changed: 'Its URL was changed: verify it again. What was queued for the one before is cancelled.',
  circuit_open: 'Five attempts in a row were not acknowledged. Nothing need be done but repair it.',
  gone: 'It answered 410. What was queued is cancelled.',
  forbidden_address: 'Its name leads to an address that nothing may be sent to. What was queued is cancelled.',
}

type Moves<Status extends string> = Readonly<Partial<Record<`${Status} → ${Status}`, string>>>

/** What causes each move. A test compares the keys with the transition tables. */
export const SESSION_MOVES: Moves<SessionStatus> = {
  'pending → processing': 'The cardholder approves with a passkey, in time.',
  'pending → failed':
    'The lifetime ends (`SESSION_EXPIRED`), the cardholder cancels (`CANCELLED`), or the merchant revokes (`SESSION_REVOKED`).',
  'processing → awaiting_result': 'The network minted.',
  'processing → failed': 'The network refused, or the merchant revokes (`SESSION_REVOKED`).',
  'awaiting_result → completed': 'The merchant reports `APPROVED`, and the network confirms it.',
  'awaiting_result → failed':
    'The merchant reports `DECLINED` (`PAYMENT_DECLINED`), or the approval lapses first (`MANDATE_EXPIRED`).',
}

export const SETUP_MOVES: Moves<SessionStatus> = {
  'pending → processing': 'The cardholder allows it with a passkey, in time.',
  'pending → failed':
    'The lifetime ends (`SESSION_EXPIRED`), the cardholder cancels (`CANCELLED`), or the merchant revokes (`SESSION_REVOKED`).',
  'processing → completed': 'The network registered the instruction: the mandate is `active`.',
  'processing → failed':
    'The network refused (`CARD_DECLINED`, `PAYMENT_FAILED`), or the merchant revokes (`SESSION_REVOKED`).',
}

export const CHARGE_MOVES: Moves<ChargeStatus> = {
  'initiated → minting': 'In the transaction of the approval, before the network is asked.',
  'initiated → failed': 'The session ended before an approval.',
  'minting → awaiting_result': 'The network minted, or an inquiry found that it had.',
  'minting → failed': 'The network refused, or the session was revoked. Of a mandate, amount and count are given back.',
  'awaiting_result → completed': 'Reported as approved, and the network answered.',
  'awaiting_result → failed':
    'Reported as declined, or the approval lapsed before a report. Of a mandate: the credential lapsed unused (`CREDENTIAL_LAPSED`), or 30 days later if it was used (`REPORT_TIMEOUT`). An unused one whose card was deleted ends at once (`CREDENTIAL_LAPSED`).',
}

export const MANDATE_MOVES: Moves<MandateStatus> = {
  'pending → active': 'The network registered the instruction; of a checkout, and minted.',
  'pending → cancelled': 'Its setup was cancelled or revoked, the network refused, or its card was deleted.',
  'pending → expired': 'Its setup was not approved in time.',
  'active → paused': 'Paused by its owner.',
  'active → consumed': 'Reported as approved.',
  'active → cancelled': 'Cancelled by its owner or with its card; or, of a checkout, reported as declined.',
  'active → expired': '`validUntil` passed; of a checkout, `effective_until_minutes` before a report.',
  'paused → active': 'Resumed by its owner, in time.',
  'paused → consumed': 'A payment begun before the pause was reported as approved.',
  'paused → cancelled': 'Cancelled by its owner or with its card; or, of a checkout, reported as declined.',
  'paused → expired': 'As above.',
}

export const ENDPOINT_MOVES: Moves<EndpointState> = {
  'unverified → paused': 'It returned the challenge.',
  'paused → active': 'Enabled by its owner.',
  'paused → unverified': 'Its URL was changed.',
  'active → paused': 'Paused by its owner.',
  'active → unverified': 'Its URL was changed.',
  'active → circuit_open': 'The fifth attempt in a row was not acknowledged.',
  'active → disabled': 'It answered 410, or its address is forbidden.',
  'circuit_open → active': 'It acknowledged a probe.',
  'circuit_open → paused': 'Paused by its owner.',
  'circuit_open → unverified': 'Its URL was changed.',
  'circuit_open → disabled': 'It answered a probe with 410, or its address is forbidden.',
  'disabled → paused': 'It returned a challenge again.',
  'disabled → unverified': 'Its URL was changed.',
}

export const WALLET_CUSTOMER_TEXTS: Readonly<Record<WalletCustomerStatus, string>> = {
  pending: 'Not checked yet. The customer may do everything.',
  verified: 'The check found nothing against the customer.',
  rejected: 'It did. No deposits, and no orders; what the customer has stays.',
}

export const WALLET_CUSTOMER_MOVES: Moves<WalletCustomerStatus> = {
  'pending → verified': 'The check of the customer; in the sandbox the test helper that plays it.',
  'pending → rejected': 'As above.',
}

export const CART_TEXTS: Readonly<Record<CartStatus, string>> = {
  open: 'Products may be put in and taken out, and it may be ordered. It shows today’s prices.',
  ordered: 'It shows what was ordered, at the prices that were paid. Terminal.',
  abandoned: 'Nothing was changed in it for `CART_DAYS`. Terminal.',
}

export const CART_MOVES: Moves<CartStatus> = {
  'open → ordered': 'Its order was paid from a wallet, in the same transaction.',
  'open → abandoned': 'Time alone, counted from the last change.',
}

export const DELIVERY_TEXTS: Readonly<Record<DeliveryState, string>> = {
  queued: 'It is sent, or sent again, when it is due and its endpoint takes deliveries.',
  delivered: 'The endpoint answered 2xx.',
  failed: 'Its nine attempts or its 72 hours are used up. It may be replayed.',
  cancelled: 'Its destination was deleted, disabled, or moved to another URL.',
}

export const DELIVERY_MOVES: Moves<DeliveryState> = {
  'queued → delivered': 'The endpoint acknowledged it.',
  'queued → failed': 'The ninth attempt was not acknowledged, or 72 hours have passed.',
  'queued → cancelled': 'Its endpoint was deleted, disabled, or got another URL.',
}

export const PURCHASE_TEXTS: Readonly<Record<PurchaseState, string>> = {
  pending: 'Approved. The shop has heard nothing.',
  quote_ready: 'What was approved still stands, and the shop may have been asked to hold it.',
  prepared:
    'The shop holds it. The network may have been asked for a credential. The last state in which the session can be revoked.',
  paying: 'The shop may have the credential. Nobody else is shown it.',
  needs_human:
    'The shop wants something that no program can give. An operator says how it ended; the shop is asked now and then, and asked to give it back after `CHECKOUT_HUMAN_HOURS`.',
  paid: 'The shop says that it was paid. The session is `completed` when the network has heard it.',
  prepare_failed: 'The shop does not sell it, or not at that price.',
  failed: 'Nothing was paid. What the shop held is given back.',
}

export const PURCHASE_MOVES: Moves<PurchaseState> = {
  'pending → quote_ready': 'Merchant and shop are active, and the rows are what was signed.',
  'pending → prepare_failed': 'The shop was disabled.',
  'pending → failed': 'The merchant revokes or is suspended, or a row was edited.',
  'quote_ready → prepared': 'The shop holds what was quoted.',
  'quote_ready → prepare_failed':
    'The shop refuses (`MERCHANT_PREPARE_FAILED`), or wants a person (`MERCHANT_ACTION_REQUIRED`).',
  'quote_ready → failed': 'As above.',
  'prepared → paying': 'The network minted, and that is committed before the shop is paid.',
  'prepared → failed': 'The network refuses to mint, the merchant revokes or is suspended, or the shop was disabled.',
  'paying → paid': 'The shop says so.',
  'paying → failed':
    'The shop says that it was declined (`CARD_DECLINED`, `INSUFFICIENT_FUNDS`, `PAYMENT_FAILED`), or gives back what it held unpaid when the credential is of no use any more.',
  'paying → needs_human': 'The shop says so, contradicts itself, or is not there any more.',
  'needs_human → paid': 'An operator says so (`mintmark checkout resolve`), or the shop.',
  'needs_human → failed':
    'An operator says so (`MERCHANT_ACTION_REQUIRED`), or the shop; or the shop gives it back after `CHECKOUT_HUMAN_HOURS`, and the network says that the credential was not spent (`MERCHANT_ACTION_REQUIRED`).',
}
