import { INTEGRATION_TYPES, SESSION_KINDS } from '@mintmark/contract'
import { OWNER_OF_AGENT } from '../agents/fragments.ts'
import { usableBy } from '../cards/fragments.ts'
import {
  INSERT_CHARGE,
  INSERT_QUOTED_CHARGE,
  JOIN_CHARGE,
  SHOWN_CHARGE,
  SHOWN_CHARGE_COLUMNS,
} from '../charges/fragments.ts'
import {
  JOIN_SHOWN_PURCHASE,
  NO_PURCHASE_COLUMNS,
  SHOWN_PURCHASE,
  SHOWN_PURCHASE_COLUMNS,
} from '../checkout/purchases/fragments.ts'
import { CLAIM_QUOTE, HOLD_QUOTE, QUOTE_END } from '../checkout/quotes/fragments.ts'
import { ADD_CUSTOMER, KNOWN_AS_GIVEN, KNOWN_CUSTOMER, UPSERT_CUSTOMER } from '../customers/fragments.ts'
import { bigint, bytes, columns, int, json, nullable, oneOf, type RowOf, text, time, uuid } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import {
  ADMIT_ENROLLMENT,
  ENROLL_REFUSALS,
  INSERT_ENROLLMENT,
  JOIN_SHOWN_ENROLLMENT,
  SHOWN_ENROLLMENT,
  SHOWN_ENROLLMENT_COLUMNS,
} from '../enrollment/fragments.ts'
import { overdueRows } from '../jobs/overdue.ts'
import {
  INSERT_AGENT_MANDATE,
  INSERT_STANDING_MANDATE,
  JOIN_SHOWN_SETUP,
  SHOWN_SETUP,
  SHOWN_SETUP_COLUMNS,
} from '../mandates/setup-fragments.ts'
import { JOIN_SHOWN_MERCHANT, SHOWN_MERCHANT, SHOWN_MERCHANT_COLUMNS } from '../merchants/fragments.ts'
import {
  ADMIT,
  ADMIT_AGENT,
  ADMIT_PLAIN,
  ADMIT_QUOTED,
  ADMIT_QUOTED_AGENT,
  CREATED,
  INSERT_ENROLLING_SESSION,
  insertAgentSession,
  insertSession,
} from './create-fragments.ts'
import type { PurchaseSummary } from './purchase.ts'

/** Why a session is not created, in the order in which the reasons are looked at. */
const CREATE_REFUSALS = [
  'MERCHANT_LOOKUP_ERROR',
  'CONFIG_ERROR',
  'CARD_NOT_FOUND',
  'CARD_INACTIVE',
  'QUOTE_ALREADY_USED',
  'TRIES_EXHAUSTED',
  'AGENT_REVOKED',
] as const
export type CreateRefusal = (typeof CREATE_REFUSALS)[number]

/** Creates customer, charge and session of a payment together, or returns why not and leaves no trace. */
export const insertPayment = one(
  'sessions.insert_payment',
  `with ${KNOWN_CUSTOMER}, ${ADMIT}, ${UPSERT_CUSTOMER}, ${INSERT_CHARGE}, ${insertSession('charge')} ${CREATED}`,
  { refusal: nullable(oneOf(CREATE_REFUSALS)), customerId: nullable(text) },
)

/** The same in the common case, of which there are most: none means that `insertPayment` must decide. */
export const insertPlainPayment = one(
  'sessions.insert_plain_payment',
  `with ${KNOWN_AS_GIVEN}, ${ADMIT_PLAIN}, ${ADD_CUSTOMER}, ${INSERT_CHARGE}, ${insertSession('charge')}
   select customer_id from session`,
  { customerId: text },
)

/** The same for what a quote describes, which the session claims: both are there then, or neither. */
export const insertQuotedPayment = one(
  'sessions.insert_quoted_payment',
  `with ${KNOWN_CUSTOMER}, ${HOLD_QUOTE}, ${ADMIT_QUOTED}, ${UPSERT_CUSTOMER}, ${INSERT_QUOTED_CHARGE}, ${insertSession('charge')},
   ${CLAIM_QUOTE} ${CREATED}`,
  { refusal: nullable(oneOf(CREATE_REFUSALS)), customerId: nullable(text) },
)

/** Creates customer, pending mandate and session of a setup together, or returns why not and leaves no trace. */
export const insertSetup = one(
  'sessions.insert_setup',
  `with ${KNOWN_CUSTOMER}, ${ADMIT}, ${UPSERT_CUSTOMER}, ${INSERT_STANDING_MANDATE}, ${insertSession('mandate')} ${CREATED}`,
  { refusal: nullable(oneOf(CREATE_REFUSALS)), customerId: nullable(text) },
)

/** As `insertPayment`, of what an agent asks its owner for. */
export const insertAgentPayment = one(
  'sessions.insert_agent_payment',
  `with ${OWNER_OF_AGENT}, ${ADMIT_AGENT}, ${INSERT_CHARGE}, ${insertAgentSession('charge')} ${CREATED}`,
  { refusal: nullable(oneOf(CREATE_REFUSALS)), customerId: nullable(text) },
)

/** As `insertQuotedPayment`, of what an agent asks its owner for. */
export const insertQuotedAgentPayment = one(
  'sessions.insert_quoted_agent_payment',
  `with ${OWNER_OF_AGENT}, ${HOLD_QUOTE}, ${ADMIT_QUOTED_AGENT}, ${INSERT_QUOTED_CHARGE}, ${insertAgentSession('charge')},
   ${CLAIM_QUOTE} ${CREATED}`,
  { refusal: nullable(oneOf(CREATE_REFUSALS)), customerId: nullable(text) },
)

/** As `insertSetup`, of what an agent asks its owner for. */
export const insertAgentSetup = one(
  'sessions.insert_agent_setup',
  `with ${OWNER_OF_AGENT}, ${ADMIT_AGENT}, ${INSERT_AGENT_MANDATE}, ${insertAgentSession('mandate')} ${CREATED}`,
  { refusal: nullable(oneOf(CREATE_REFUSALS)), customerId: nullable(text) },
)

/** Creates customer, enrollment and session together, or returns why not and leaves no trace. */
export const insertEnrollment = one(
  'sessions.insert_enrollment',
  `with ${KNOWN_CUSTOMER}, ${ADMIT_ENROLLMENT}, ${UPSERT_CUSTOMER}, ${INSERT_ENROLLMENT}, ${INSERT_ENROLLING_SESSION}
   select (select code from refusal) as refusal, (select customer_id from session) as customer_id`,
  { refusal: nullable(oneOf(ENROLL_REFUSALS)), customerId: nullable(text) },
)

/** How a card was proven: its number and CVV were entered, or its CVV and the network's code. */
export const PROOFS = ['entered', 'code'] as const
export type Proof = (typeof PROOFS)[number]

/** What every session has. */
const GRANT = {
  merchantId: text,
  id: text,
  kind: oneOf(SESSION_KINDS),
  customerId: text,
  integrationType: oneOf(INTEGRATION_TYPES),
  callbackUrl: nullable(text),
  description: nullable(text),
  summary: nullable(json<PurchaseSummary>()),
  preselectedVaultRecordId: nullable(uuid),
  cardId: nullable(text),
  /** The card that the cardholder proved in this session, and how. */
  provenCardId: nullable(text),
  proof: nullable(oneOf(PROOFS)),
  proofSeal: nullable(bytes),
  /** The entry of the chosen card that waits for the network's code. */
  entryId: nullable(uuid),
  /** BCP 47, in its one spelling; null: the merchant has not said. */
  locale: nullable(text),
  launchHash: bytes,
  /** The agent that has asked for it, its name as the cardholder reads it, and the seal over both; null where a merchant has. */
  agentId: nullable(text),
  agentName: nullable(text),
  agentSeal: nullable(bytes),
  createdAt: time,
  expiresAt: time,
  /** When its cardholder was given more time; null: `expiresAt` is as it was created with. */
  extendedAt: nullable(time),
  /** When the cardholder's part ended, by approval or otherwise; null while the session can be used. */
  closedAt: nullable(time),
}
/** What an enrollment has not: it orders nothing. */
const ORDER = { orderId: text, effectiveMinutes: int }
/** What a payment and a setup are about. */
const SUBJECT = {
  amountMinor: bigint,
  currency: text,
  payeeName: text,
  payeeNetworkName: text,
  payeeUrl: text,
  payeeCountry: text,
  externalOrderRef: nullable(text),
  /** When the subject last changed: for one that has ended, when it did. A mandate may change after it was set up. */
  changedAt: time,
}
const IS_SESSION = `s.merchant_id = $merchantId and s.id = $sessionId`

// Each kind has a text of its own, for its merchant and for the cardholder's page: each time that a statement runs the database makes
// ready all its joins and subqueries, also those that will find nothing, and that is more work than to find what there is.

const PAYMENT = {
  ...GRANT,
  kind: oneOf(['payment']),
  ...ORDER,
  ...SUBJECT,
  /** Null until it is approved. */
  mandateId: nullable(text),
  ...SHOWN_CHARGE,
  ...SHOWN_PURCHASE,
  /** Until when the shop keeps what was quoted; null: nothing was. */
  quoteEndsAt: nullable(time),
  ...SHOWN_MERCHANT,
}
/** One purchase; its subject is a charge. */
export type PaymentSession = RowOf<typeof PAYMENT>
const PAYMENT_COLUMNS =
  `${columns({ ...GRANT, ...ORDER }, 's')}, c.mandate_id, c.amount_minor, c.currency, c.payee_name,
     c.payee_network_name, c.payee_url, c.payee_country, c.external_order_ref, c.updated_at as changed_at,
     ${SHOWN_CHARGE_COLUMNS}, ${SHOWN_MERCHANT_COLUMNS}` as const

/** A payment, less what there is only of one that the service itself makes. */
export const findPayment = one(
  'sessions.find_payment',
  `select ${PAYMENT_COLUMNS}, ${NO_PURCHASE_COLUMNS}, null::timestamptz as quote_ends_at
   from sessions s ${JOIN_CHARGE} ${JOIN_SHOWN_MERCHANT}
   where ${IS_SESSION}`,
  PAYMENT,
)

const PAYMENTS = `select ${PAYMENT_COLUMNS}, ${SHOWN_PURCHASE_COLUMNS}, (${QUOTE_END}) as quote_ends_at
   from sessions s ${JOIN_CHARGE} ${JOIN_SHOWN_PURCHASE} ${JOIN_SHOWN_MERCHANT}
   where s.merchant_id = $merchantId and` as const

/** A payment of what was quoted, with its purchase. */
export const findQuotedPayment = one('sessions.find_quoted_payment', `${PAYMENTS} s.id = $sessionId`, PAYMENT)

/** Payments of either kind, in any order. */
export const listPayments = many('sessions.list_payments', `${PAYMENTS} s.id = any ($sessionIds)`, PAYMENT)

const SETUP = {
  ...{ ...GRANT, kind: oneOf(['mandate_setup']), ...ORDER, ...SUBJECT, mandateId: text },
  ...{ ...SHOWN_SETUP, ...SHOWN_MERCHANT },
}
/** A standing permission to be given; its subject is a mandate. */
export type SetupSession = RowOf<typeof SETUP>

const SETUPS =
  `select ${columns({ ...GRANT, ...ORDER }, 's')}, s.mandate_id, setup.approved_minor as amount_minor, setup.currency,
     setup.payee_name, setup.payee_network_name, setup.payee_url, setup.payee_country, setup.external_order_ref,
     coalesce(greatest(setup.updated_at, setup.ended_at), s.created_at) as changed_at, ${SHOWN_SETUP_COLUMNS}, ${SHOWN_MERCHANT_COLUMNS}
   from sessions s ${JOIN_SHOWN_SETUP} ${JOIN_SHOWN_MERCHANT}
   where s.merchant_id = $merchantId and` as const

export const findSetup = one('sessions.find_setup', `${SETUPS} s.id = $sessionId`, SETUP)

/** Setups, in any order. */
export const listSetups = many('sessions.list_setups', `${SETUPS} s.id = any ($sessionIds)`, SETUP)

const ENROLLMENT = {
  ...{ ...GRANT, kind: oneOf(['enrollment']), orderId: nullable(text) },
  ...{ payeeName: SUBJECT.payeeName, changedAt: SUBJECT.changedAt, ...SHOWN_ENROLLMENT, ...SHOWN_MERCHANT },
}
/** A card to be enrolled; its subject is an enrollment. */
export type EnrollmentSession = RowOf<typeof ENROLLMENT>

export const findEnrollment = one(
  'sessions.find_enrollment',
  `select ${columns(GRANT, 's')}, s.order_id, coalesce(enrolled.payee_name, '') as payee_name,
     coalesce(enrolled.updated_at, s.created_at) as changed_at, ${SHOWN_ENROLLMENT_COLUMNS}, ${SHOWN_MERCHANT_COLUMNS}
   from sessions s ${JOIN_SHOWN_ENROLLMENT} ${JOIN_SHOWN_MERCHANT}
   where ${IS_SESSION} and s.kind = 'enrollment'`,
  ENROLLMENT,
)

export type Session = PaymentSession | SetupSession | EnrollmentSession

/**
 * Which card the session will be approved with, of those that it may use. None: the session is closed, over or no longer its customer's, the
 * card is not one of these, or the merchant is suspended. A card is enrolled by entering it, and by no choice.
 */
export const updateCard = one(
  'sessions.update_card',
  `update sessions set card_id = $cardId, entry_id = null
   where merchant_id = $merchantId and id = $sessionId and customer_id = $customerId and kind <> 'enrollment'
     and closed_at is null and expires_at > $at and exists (select 1 from merchants where id = $merchantId and status = 'active')
     and exists (
       select 1 from cards where merchant_id = $merchantId and customer_id = $customerId and id = $cardId
         and ${usableBy('sessions.id', '$customerId', 'sessions.proven_card_id')})
   returning id`,
  { id: text },
)

/** The cardholder chooses again, unless the session is closed or over. */
export const updateNoCard = execute(
  'sessions.update_no_card',
  `update sessions set card_id = null, entry_id = null
   where merchant_id = $merchantId and id = $sessionId and closed_at is null and expires_at > $at`,
)

/** Gives an open session more time, once and near its end. None: not yet, or not again, or it is over. */
export const updateExtended = one(
  'sessions.extend',
  `update sessions set extended_at = $at, expires_at = $newEnd
   where merchant_id = $merchantId and id = $sessionId and closed_at is null and extended_at is null
     and expires_at = $end and expires_at > $at and expires_at <= $askableEnd
   returning id`,
  { id: text },
)

/** Closes a session without an approval. None: it was closed before. */
export const updateCancelled = one(
  'sessions.update_cancelled',
  `update sessions set closed_at = $at
   where merchant_id = $merchantId and id = $sessionId and closed_at is null
   returning id`,
  { id: text },
)

/** Closes a session whose time is over. None: it was closed before, or has time left. */
export const updateExpired = one(
  'sessions.update_expired',
  `update sessions set closed_at = $at
   where merchant_id = $merchantId and id = $sessionId and closed_at is null and expires_at <= $at
   returning id`,
  { id: text },
)

/**
 * Closes a session, with `isApprovedToo` also one that was approved; whether that may still be revoked is the subject's to say. None: it was
 * closed before.
 */
export const updateRevoked = one(
  'sessions.update_revoked',
  `update sessions set closed_at = coalesce(closed_at, $at), version = version + 1
   where merchant_id = $merchantId and id = $sessionId and (closed_at is null or $isApprovedToo::boolean)
   returning version`,
  { version: int },
)

/** Sessions that were not used in time. */
export const overdueSessions = overdueRows('sessions', {
  table: 'sessions',
  due: 'expires_at',
  // The version is always positive. No other statement says so: see `LISTED` of open work.
  where: 'closed_at is null and version > 0',
})
