import type { FailureCategory, PaymentFailure } from '@mintmark/contract'
import type { DeclineReason } from '../../apps/server/src/network/port.ts'

/** Keyed by the unions, so a new reason does not compile until it is explained here. */
export const REASON_TEXTS: Readonly<Record<DeclineReason, string>> = {
  CARD_NUMBER_INVALID: 'The number fails its check digit or is of no known form.',
  CARD_EXPIRED: 'The month on the card has passed.',
  CVV_MISMATCH: 'The CVV is not the one of the card.',
  BIN_COUNTRY_NOT_ALLOWED: 'Cards issued in this country are not enrolled.',
  BIN_ISSUER_NOT_ALLOWED: 'Cards of this issuer are not enrolled.',
  CARD_DECLINED: 'The issuer refuses the card.',
  STEP_UP_EXHAUSTED: 'Too many wrong verification codes.',
  STEP_UP_CODE_WRONG: 'The verification code is wrong; tries are left.',
  DEVICE_BINDING_FAILED: 'The card could not be bound to the device.',
  TOKEN_NOT_ACTIVE: 'The network token of the card was deleted.',
  INSTRUCTION_NOT_ACTIVE: 'The approval was cancelled at the network, or is known there with other terms.',
  INSTRUCTION_EXPIRED: 'The approval lapsed.',
  CURRENCY_MISMATCH: 'The currency is not the approved one.',
  MERCHANT_NOT_ALLOWED: 'The merchant is not the approved one. Hosts are compared; a subdomain is another merchant.',
  MAX_CHARGES_EXCEEDED: 'The approved number of charges is used up.',
  THRESHOLD_EXCEEDED: 'The amount is above what remains of the approved one.',
  NOT_FOUND: 'The network knows no such token, instruction or charge.',
  CONFIRMATION_REFUSED: 'The network refuses the reported outcome, for instance because it knows the other one.',
}

export const FAILURE_TEXTS: Readonly<Record<PaymentFailure, string>> = {
  SESSION_EXPIRED: 'Create a new session when the cardholder is back.',
  SESSION_REVOKED: 'You did this. Nothing to do.',
  CANCELLED: 'Offer the checkout again.',
  MANDATE_EXPIRED:
    'If you were paid although you did not report, look into it: the credential could be used until it lapsed. ' +
    'Report sooner, or raise `effective_until_minutes`.',
  PAYMENT_DECLINED: 'You reported `DECLINED`. Create a new session to try again.',
  CARD_DECLINED: 'Create a new session; the cardholder uses another card.',
  THRESHOLD_EXCEEDED: 'Create a session with the right amount; of a mandate, wait for the next window.',
  MAX_CHARGES_EXCEEDED:
    'Create a new session, or ask for a new mandate. Of a `one_time` mandate, report its one charge: as `DECLINED`, it makes room for another.',
  AGENT_LIMIT_EXCEEDED:
    'Of an agent. `details` says which limit of its owner it was, what is left and when there will be more; `GET /v1/agents/me` says so before.',
  OWNER_DENIED: 'Of an agent. Its owner was asked beyond a limit, and said no: this `reference` is not asked again.',
  OWNER_TIMEOUT: 'Of an agent. Its owner did not answer in time: this `reference` is not asked again.',
  DELIVERY_REFUSED:
    'Of an agent, with `delivery`. Look at the checkout session at the shop: it is not there, is over, or costs another amount than the charge. The card was ended, and the amount is back.',
  REPORT_TIMEOUT:
    'Report each charge of a mandate: also one that you did not use, as `DECLINED`, so that its amount is given back at once.',
  CREDENTIAL_LAPSED:
    'Nothing was paid. Of a mandate the amount is back in its window and the `reference` is free: charge again; pay sooner, or send a longer `effective_until_minutes`. At once where its card was deleted, also of a session: ask for another card.',
  INSUFFICIENT_FUNDS: 'Of a quote-backed session. Create a new one; the cardholder uses another card.',
  MERCHANT_PREPARE_FAILED: 'Of a quote-backed session. Ask for a new quote.',
  MERCHANT_ACTION_REQUIRED:
    'Of a quote-backed session. An operator found out that nothing was paid. Ask for a new quote, or buy at the merchant directly.',
  PAYMENT_FAILED: 'Create a new session. If it stays, ask the operator.',
}

export const CATEGORY_TEXTS: Readonly<Record<FailureCategory, string>> = {
  expired: 'The cardholder did not approve in time, or the credential was not used in time.',
  cancelled: 'The cardholder cancelled.',
  revoked: 'You revoked the session.',
  card_declined: 'The network refused the card.',
  limit_exceeded: 'More than what was approved: the amount, or the number of charges.',
  payment_declined: 'You reported `DECLINED`.',
  unreported: 'A time to report passed without a report. Whether the credential was used, the service does not know.',
  refused: 'Refused, and neither for the card nor for a limit.',
}
