import { INTEGRATION_TYPES, MERCHANT_STATUSES, SESSION_KINDS } from '@mintmark/contract'
import { usableBy } from '../cards/fragments.ts'
import { INSERT_CHARGE, JOIN_SHOWN_CHARGE, SHOWN_CHARGE, SHOWN_CHARGE_COLUMNS } from '../charges/fragments.ts'
import { ADD_CUSTOMER, KNOWN_AS_GIVEN, KNOWN_CUSTOMER, UPSERT_CUSTOMER } from '../customers/fragments.ts'
import { bytes, columns, int, json, nullable, oneOf, type RowOf, text, time, uuid } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { overdueRows } from '../jobs/overdue.ts'
import { ADMIT, ADMIT_PLAIN, CREATED, INSERT_SESSION } from './create-fragments.ts'
import type { PurchaseSummary } from './purchase.ts'

/** Why a session is not created, in the order in which the reasons are looked at. */
export const CREATE_REFUSALS = [
  'MERCHANT_LOOKUP_ERROR',
  'CONFIG_ERROR',
  'CARD_NOT_FOUND',
  'CARD_INACTIVE',
  'TRIES_EXHAUSTED',
] as const
export type CreateRefusal = (typeof CREATE_REFUSALS)[number]

/** Creates customer, charge and session of a payment together, or returns why not and leaves no trace. */
export const insertPayment = one(
  'sessions.insert_payment',
  `with ${KNOWN_CUSTOMER}, ${ADMIT}, ${UPSERT_CUSTOMER}, ${INSERT_CHARGE}, ${INSERT_SESSION} ${CREATED}`,
  { refusal: nullable(oneOf(CREATE_REFUSALS)), customerId: nullable(text) },
)

/** The same in the common case, of which there are most: none means that `insertPayment` must decide. */
export const insertPlainPayment = one(
  'sessions.insert_plain_payment',
  `with ${KNOWN_AS_GIVEN}, ${ADMIT_PLAIN}, ${ADD_CUSTOMER}, ${INSERT_CHARGE}, ${INSERT_SESSION}
   select customer_id from session`,
  { customerId: text },
)

/** How a card was proven: its number and CVV were entered, or its CVV and the network's code. */
export const PROOFS = ['entered', 'code'] as const
export type Proof = (typeof PROOFS)[number]

export const GRANT = {
  merchantId: text,
  id: text,
  kind: oneOf(SESSION_KINDS),
  customerId: text,
  orderId: text,
  integrationType: oneOf(INTEGRATION_TYPES),
  callbackUrl: nullable(text),
  description: nullable(text),
  summary: nullable(json<PurchaseSummary>()),
  effectiveMinutes: int,
  preselectedVaultRecordId: nullable(uuid),
  cardId: nullable(text),
  /** The card that the cardholder proved in this session, and how. */
  provenCardId: nullable(text),
  proof: nullable(oneOf(PROOFS)),
  /** The entry of the chosen card that waits for the network's code. */
  entryId: nullable(uuid),
  launchHash: bytes,
  createdAt: time,
  expiresAt: time,
  /** When the cardholder's part ended, by approval or otherwise; null while the session can be used. */
  closedAt: nullable(time),
}
export const SESSION = { ...GRANT, ...SHOWN_CHARGE, merchantStatus: oneOf(MERCHANT_STATUSES) }
/** A session with its subject: of a payment, the charge. */
export type Session = RowOf<typeof SESSION>

/** Everything that a payment result, a report or the cardholder's page needs, in one round trip. */
export const findSession = one(
  'sessions.find',
  `select ${columns(GRANT, 's')}, ${SHOWN_CHARGE_COLUMNS},
     (select status from merchants where id = $merchantId) as merchant_status
   from sessions s ${JOIN_SHOWN_CHARGE}
   where s.merchant_id = $merchantId and s.id = $sessionId`,
  SESSION,
)

/**
 * Which card the session will be approved with, of those that it may use; null lets the cardholder choose again. None: the
 * session is closed or over, or the card is not one of these.
 */
export const updateCard = one(
  'sessions.update_card',
  `update sessions set card_id = $cardId, entry_id = null
   where merchant_id = $merchantId and id = $sessionId and closed_at is null and expires_at > $at
     and ($cardId::text is null or exists (
       select from cards where merchant_id = $merchantId and customer_id = sessions.customer_id and id = $cardId
         and ${usableBy('sessions.customer_id', 'sessions.proven_card_id')}))
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

/** Closes a session, also one that was approved. Whether it may still be revoked is the subject's to say. */
export const updateRevoked = one(
  'sessions.update_revoked',
  `update sessions set closed_at = coalesce(closed_at, $at), version = version + 1
   where merchant_id = $merchantId and id = $sessionId
   returning version, order_id`,
  { version: int, orderId: text },
)

/** Sessions that were not used in time. */
export const overdueSessions = overdueRows('sessions', {
  table: 'sessions',
  due: 'expires_at',
  where: 'closed_at is null',
})
