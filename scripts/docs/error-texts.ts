import type { ErrorCode } from '@mintmark/contract'

export interface ErrorText {
  /** What the code means, for the developer who gets it. */
  meaning: string
  /** What to do then. */
  remedy: string
}

/** Keyed by the union, so a new code does not compile until it is explained here. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  AUTH_1001: {
    meaning: 'The credential is unknown, revoked, of another kind, or of the other environment.',
    remedy: 'Check which key you send. A sandbox key begins `sk_test_`, a production key `sk_live_`.',
  },
  AUTH_1002: {
    meaning: 'The `Authorization` header is missing or is not `Bearer` and one credential.',
    remedy: 'Send `Authorization: Bearer <key>`.',
  },
  AUTH_1003: {
    meaning: 'The session has expired or has ended. Only the secure surface sees this.',
    remedy: 'Create a new session.',
  },
  AUTH_1004: {
    meaning: 'The merchant revoked the session. Only the secure surface sees this.',
    remedy: 'Create a new session if the purchase is still wanted.',
  },
  VAL_2001: {
    meaning:
      'The request does not fit its schema. `details` maps each failing field to what is wrong. The status is 413 for ' +
      'a body above 64 KiB, 415 for one that is not JSON in UTF-8, 431 for too large headers, 408 for a request that ' +
      'arrives too slowly, and 417 for an `Expect` that cannot be met.',
    remedy: 'Correct the fields in `details`. Unknown fields are refused too. After a 408 send the same again.',
  },
  INVALID_REQUEST: {
    meaning: 'A required field of an operation on cards is missing or empty. Elsewhere that is `VAL_2001`.',
    remedy: 'Send the fields in `details`.',
  },
  INVALID_STATE: {
    meaning: 'The operation is not allowed in the present state, or another caller changed the state first.',
    remedy: 'Read the payment result and decide from its status.',
  },
  NOT_FOUND: {
    meaning: 'There is no such path or resource, or it belongs to another merchant. Both read alike.',
    remedy: 'Check the id and which key you use.',
  },
  RATE_LIMITED: {
    meaning:
      'A rate limit is used up: the limits are in [configuration](configuration.md#rate-limits). Of the verification and the test of a ' +
      'webhook endpoint also: another request to it, or as many as the account may have, are on their way.',
    remedy: 'Wait as many seconds as `Retry-After` says.',
  },
  INTERNAL_ERROR: {
    meaning: 'A fault of the service. Nothing of its cause is shown.',
    remedy: 'Try again. If it stays, give the operator the `X-Response-ID`.',
  },
  SERVICE_UNAVAILABLE: {
    meaning:
      'The database or the key provider does not answer, or the service has as many requests in hand as it can carry. What you asked ' +
      'may or may not have happened.',
    remedy: 'Wait as long as `Retry-After` says, read the state, then repeat.',
  },
  NOT_IMPLEMENTED: {
    meaning: 'The request is valid and this version cannot serve it.',
    remedy: 'Leave out what this version does not offer.',
  },
  TRIES_EXHAUSTED: {
    meaning: 'The session allowance of the account is used up.',
    remedy: 'Ask the operator, who runs `npx mintmark merchant update ID --allowance N`.',
  },
  MERCHANT_LOOKUP_ERROR: {
    meaning: 'The merchant account is suspended or cannot be read.',
    remedy: 'Ask the operator.',
  },
  CONFIG_ERROR: {
    meaning: 'The merchant account has no network configuration.',
    remedy: 'Ask the operator.',
  },
  CARD_NOT_FOUND: {
    meaning: 'The customer has no such card, or the merchant no such vault record.',
    remedy: 'Leave `card` out, and the cardholder chooses.',
  },
  CARD_INACTIVE: {
    meaning: 'The card was deleted, refused, or never finished its enrollment.',
    remedy: 'Leave `card` out, and the cardholder chooses.',
  },
  SANDBOX_SIMULATION_NOT_ALLOWED: {
    meaning: '`sandbox_simulation` was sent in production, without a quote, or with `mandate_setup`.',
    remedy: 'Leave it out. In a sandbox, [test cards](../guides/test-cards.md) bring about what goes wrong.',
  },
  SESSION_CREATE_ERROR: {
    meaning: 'The session could not be created, for an unexpected reason. Nothing was written.',
    remedy: 'Create it again.',
  },
  QUOTE_NOT_FOUND: {
    meaning: 'There is no such quote of yours: it never was, or nobody used it and it is gone a day after it expired.',
    remedy: 'Ask for another quote.',
  },
  QUOTE_EXPIRED: {
    meaning: 'The quote was good for 15 minutes, and they are over.',
    remedy: 'Ask for another quote: prices and stock may have changed.',
  },
  QUOTE_ALREADY_USED: {
    meaning: 'A session was created from the quote before. A quote is good for one session, however that ends.',
    remedy: 'Go on with that session, or ask for another quote.',
  },
  QUOTE_AMOUNT_MISMATCH: {
    meaning: '`total_amount` or `currency` of the session is not that of the quote.',
    remedy: 'Send what the quote says. The quote is as good as before.',
  },
  OUT_OF_STOCK: {
    meaning: 'The merchant does not have as many as were asked for.',
    remedy: 'Ask for fewer, or for something else.',
  },
  MERCHANT_UNAVAILABLE: {
    meaning: 'The merchant did not answer, or not in a way that makes sense, or the operator has disabled it.',
    remedy: 'Try again after `Retry-After` seconds.',
  },
  ENROLL_USER_EMAIL_REQUIRED: {
    meaning: 'The customer is new, and no email address came with the request.',
    remedy: 'Send `user_email`; later enrollments of the same `user_id` may leave it out.',
  },
  BIN_COUNTRY_NOT_ALLOWED: {
    meaning: 'The card was issued in a country whose cards are not accepted, by the network or by your own rules.',
    remedy: 'Ask the customer for another card.',
  },
  BIN_ISSUER_NOT_ALLOWED: {
    meaning: 'The bank that issued the card is not accepted, by the network or by your own rules.',
    remedy: 'Ask the customer for another card.',
  },
  SESSION_STATUS_UNSUPPORTED: {
    meaning: 'The session is a payment, or sets up a mandate: it has no status of an enrollment.',
    remedy: 'Read its payment result.',
  },
  ENROLLMENT_ACTION_NOT_FOUND: {
    meaning: 'The session is there and its enrollment is not. This is a defect of the deployment, not of the request.',
    remedy: 'Contact the operator, with the response id.',
  },
  MANDATE_EXPIRED: {
    meaning: 'The approval lapsed before an outcome was reported. The session is `failed`.',
    remedy: 'Do not charge the credential again: the network refuses it. Start a new session.',
  },
  PRODUCT_NOT_FOUND: {
    meaning: 'A product in `product_statuses` is not part of the session.',
    remedy: 'Use a `product_ref_id` of the payment result, or your own `product_id`.',
  },
  NETWORK_CONFIRMATION_FAILED: {
    meaning:
      'The card network did not confirm the outcome. The report is kept, and the service goes on trying. ' +
      '`NETWORK_BRAND` changes the first word of this code.',
    remedy: 'Send the same report again until it is answered with 200.',
  },
  REPORT_STATUS_ERROR: {
    meaning: 'The report could not be processed, for an unexpected reason.',
    remedy: 'Send the same report again.',
  },
  CUSTOMER_NOT_FOUND: {
    meaning: 'No customer of this account has this `user_id` or id.',
    remedy: 'Check `customer_id`. A customer exists since their first session.',
  },
  NETWORK_DELETE_FAILED: {
    meaning: 'The card network did not delete its token, or did not say that it had. The card is as it was.',
    remedy: 'Ask for the deletion again.',
  },
  AUTH_REQUIRED: {
    meaning: 'On a mandate operation: the secret key is missing, unknown, revoked, or of the other environment.',
    remedy: 'Send `Authorization: Bearer <key>` with a secret key of this environment.',
  },
  AGENT_KEY_LINKED: {
    meaning: 'The key is linked to an agent, or was: a key is linked once.',
    remedy: 'Make another key pair and link that one.',
  },
  FORBIDDEN: {
    meaning:
      'A merchant key named a user of a dashboard or an agent, which only control-plane keys do; a control-plane key was used to ' +
      'charge or to report; or a publishable key was not used from a page on an allowed origin of its account.',
    remedy:
      'Leave `dashboard_user_id` and `agent_id` out; charge and report with a key of the merchant; have the operator add the origin.',
  },
  MANDATE_RECURRING_MUST_BE_SCOPED: {
    meaning: 'The operator allows a mandate that renews at one merchant only (`RECURRING_MANDATES`).',
    remedy: 'Send `merchant_scope: "listed"`.',
  },
  MANDATE_FORBIDDEN: {
    meaning: 'The mandate is another account’s; or, with a control-plane key, another user’s.',
    remedy: 'Check the id and which key you use.',
  },
  MANDATE_NOT_FOUND: {
    meaning: 'There is no such mandate.',
    remedy: 'Check the id.',
  },
  MANDATE_NOT_ACTIVE: {
    meaning: 'The mandate is not active: pending, paused, ended, or of an ordinary checkout. Nothing was charged.',
    remedy: 'Read the mandate. A paused one can be resumed; otherwise ask the customer for a new one.',
  },
  MANDATE_MERCHANT_NOT_ALLOWED: {
    meaning:
      'The charge names a merchant other than the one the mandate lists. Origin and name are compared. An agent gets an ordinary refusal.',
    remedy: 'Name the merchant as the setup did, or leave `merchant_details` out.',
  },
  NO_INSTRUCTION: {
    meaning: 'The card network does not know the mandate.',
    remedy: 'Read the mandate; ask the operator when it is active.',
  },
  NO_ORDER: {
    meaning: 'The mandate has no order.',
    remedy: 'Ask the operator.',
  },
  NO_TOKEN: {
    meaning: 'The card network has not answered yet. The charge is kept and asked for until there is an answer.',
    remedy:
      'Send the same request again with the same `reference`: it makes no second charge. Without one, read the mandate: the charge is in its list.',
  },
  CHARGE_NOT_FOUND: {
    meaning: 'The mandate has no charge of this id.',
    remedy: 'Use the `transactionId` of the answer to the charge.',
  },
  CHARGE_NOT_REPORTABLE: {
    meaning:
      'The charge awaits no report: it failed, was reported with the other outcome, has no credential yet, or 30 days have passed since its credential lapsed.',
    remedy: 'Read the mandate to see how the charge stands.',
  },
  CHARGE_NO_TLI: {
    meaning: 'The charge has no line item to report.',
    remedy: 'Ask the operator.',
  },
  MANDATE_CHARGE_DB_FAILED: {
    meaning: 'The charge could not be written. Nothing was charged.',
    remedy: 'Send the same charge again, with its `reference`.',
  },
  MANDATE_CHARGE_REPORT_DB_FAILED: {
    meaning: 'The report could not be recorded.',
    remedy: 'Send the same report again.',
  },
  MANDATE_INVALID_TRANSITION: {
    meaning: 'The status of the mandate does not allow this move, or another caller moved it first.',
    remedy:
      'Read the mandate. Only an active one is paused, only a paused one resumed, and only these two are cancelled.',
  },
  IDEMPOTENCY_CONFLICT: {
    meaning: 'The `Idempotency-Key` was used with another request within the last 24 hours.',
    remedy: 'Take a new key for each new request, and the same one only to send the same request again.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    meaning: 'The first request with this `Idempotency-Key` has not ended yet.',
    remedy: 'Send it again, with the same key, after `Retry-After`.',
  },
  WEBHOOKS_DISABLED: {
    meaning:
      'The operator has switched the delivery of webhooks off. Endpoints are not changed, tested or replayed to meanwhile; reads and the feed go on.',
    remedy: 'Read the feed of events, and try again later.',
  },
  WEBHOOK_ENDPOINT_LIMIT: {
    meaning: 'The account has five webhook endpoints, which is the most.',
    remedy: 'Delete one, or change the URL of one.',
  },
  ENDPOINT_NOT_VERIFIED: {
    meaning:
      'The endpoint has not proven that it wants to be sent to: it is new, its URL was changed, or the service disabled it.',
    remedy: 'Verify it first.',
  },
  ENDPOINT_PAUSED: {
    meaning: 'The endpoint is paused by its owner, so nothing can be sent to it again.',
    remedy: 'Enable it, then send the request again with the same key.',
  },
  ENDPOINT_DISABLED: {
    meaning:
      'The service has disabled the endpoint: it answered 410, or its address is one that nothing may be sent to.',
    remedy: 'Verify it again and enable it, then send the request again.',
  },
  ENDPOINT_NOT_SUBSCRIBED: {
    meaning: 'The endpoint does not want events of the kind of this delivery.',
    remedy: 'Add the kind to the `events` of the endpoint, or read the event from the feed.',
  },
  DELIVERY_EXPIRED: {
    meaning: 'The event is older than 30 days, so it is not sent again.',
    remedy: 'None. What the event told is in the resource itself.',
  },
  RECOVERY_IN_PROGRESS: {
    meaning: 'The endpoint is being caught up with another range of time.',
    remedy: 'Wait until that is `completed`: ask with its own key. Then send the request again.',
  },
  ENDPOINT_VERIFICATION_FAILED: {
    meaning:
      'The endpoint did not return the challenge. `details.category` says how the request ended, `details.http_status` with which status, if any.',
    remedy:
      'Answer the request `webhook.endpoint_verification` with a 2xx status and `{ "challenge": … }` alone as its body, then verify again.',
  },
  ROTATION_IN_PROGRESS: {
    meaning: 'The secret was rotated less than 24 hours ago, and the one before it still signs.',
    remedy:
      'Wait until both secrets have signed for a day. If a secret leaked, delete the endpoint and create another.',
  },
  CARD_REFUSED: {
    meaning: 'The card network refused the card. `details.reason` is one of the [decline reasons](declines.md).',
    remedy:
      'The cardholder corrects the entry or uses another card, in the same session. A card that you put in the vault or provision ' +
      'alone stays refused: take another one.',
  },
  STEP_UP_INVALID: {
    meaning: 'The verification code is wrong. After three wrong codes the card must be entered again.',
    remedy: 'The cardholder tries again.',
  },
  NETWORK_UNAVAILABLE: {
    meaning: 'The card network did not answer while a card was enrolled. Nothing was charged.',
    remedy: 'The same step again: it is idempotent.',
  },
  PASSKEY_REQUIRED: {
    meaning: 'The customer has no usable passkey yet.',
    remedy: 'Register one first. The page does this by itself.',
  },
  PASSKEY_FAILED: {
    meaning: 'A passkey ceremony was refused. The reason is not told, because it helps only a forger.',
    remedy: 'Ask for new options and try again: the challenge is used up.',
  },
  PASSKEY_FRAME_REFUSED: {
    meaning: 'The ceremony ran in a frame that is not allowed, or whose embedder the browser does not name.',
    remedy: 'Open `iframe_url` in a tab of its own.',
  },
}
