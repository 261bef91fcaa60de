import { INTEGRATION_TYPES, SESSION_KINDS } from '@mintmark/contract'
import { INSERT_CHARGE, JOIN_SHOWN_CHARGE, SHOWN_CHARGE, SHOWN_CHARGE_COLUMNS } from '../charges/fragments.ts'
import { KNOWN_CUSTOMER, UPSERT_CUSTOMER } from '../customers/fragments.ts'
import { bytes, columns, int, json, nullable, oneOf, type RowOf, text, time, uuid } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { dueWork } from '../jobs/work.ts'
import { ADMIT, CREATED, INSERT_SESSION } from './create-fragments.ts'
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

const GRANT = {
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
  launchHash: bytes,
  createdAt: time,
  expiresAt: time,
  /** When the cardholder's part ended, by approval or otherwise; null while the session can be used. */
  closedAt: nullable(time),
}
const SESSION = { ...GRANT, ...SHOWN_CHARGE }
/** A session with its subject: of a payment, the charge. */
export type Session = RowOf<typeof SESSION>

/** Everything that a payment result, a report or the cardholder's page needs, in one round trip. */
export const findSession = one(
  'sessions.find',
  `select ${columns(GRANT, 's')}, ${SHOWN_CHARGE_COLUMNS}
   from sessions s ${JOIN_SHOWN_CHARGE}
   where s.merchant_id = $merchantId and s.id = $sessionId`,
  SESSION,
)

/** Which card the session will be approved with; null lets the cardholder choose again. None: it is closed or over. */
export const updateCard = one(
  'sessions.update_card',
  `update sessions set card_id = $cardId
   where merchant_id = $merchantId and id = $sessionId and closed_at is null and expires_at > $at
   returning id`,
  { id: text },
)

/**
 * The one winner of any number of approvals: the first to close the session, in time, for the card that was shown. After a
 * revoke, a cancel, a second approval or another card chosen in another tab there is no row to match.
 */
export const updateApproved = one(
  'sessions.update_approved',
  `update sessions set closed_at = $at, due_at = null, lease_until = null
   where merchant_id = $merchantId and id = $sessionId and card_id = $cardId and closed_at is null and expires_at > $at
   returning id`,
  { id: text },
)

/** Closes a session without an approval. None: it was closed before. */
export const updateCancelled = one(
  'sessions.update_cancelled',
  `update sessions set closed_at = $at, due_at = null, lease_until = null
   where merchant_id = $merchantId and id = $sessionId and closed_at is null
   returning id`,
  { id: text },
)

/** Closes a session whose time is over. None: it was closed before, or has time left. */
export const updateExpired = one(
  'sessions.update_expired',
  `update sessions set closed_at = $at, due_at = null, lease_until = null
   where merchant_id = $merchantId and id = $sessionId and closed_at is null and expires_at <= $at
   returning id`,
  { id: text },
)

/** Closes a session, also one that was approved. Whether it may still be revoked is the subject's to say. */
export const updateRevoked = one(
  'sessions.update_revoked',
  `update sessions set closed_at = coalesce(closed_at, $at), due_at = null, lease_until = null, version = version + 1
   where merchant_id = $merchantId and id = $sessionId
   returning version, order_id`,
  { version: int, orderId: text },
)

/** Sessions that were not used in time. */
export const sessionWork = dueWork('sessions', { shape: {} })
