import { INTEGRATION_TYPES, MERCHANT_STATUSES, SESSION_KINDS } from '@mintmark/contract'
import { INSERT_CHARGE, JOIN_SHOWN_CHARGE, SHOWN_CHARGE, SHOWN_CHARGE_COLUMNS } from '../charges/fragments.ts'
import { KNOWN_CUSTOMER, UPSERT_CUSTOMER } from '../customers/fragments.ts'
import { bool, bytes, columns, int, json, nullable, oneOf, type RowOf, text, time, uuid } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { overdueRows } from '../jobs/overdue.ts'
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
 * Which card the session will be approved with; null lets the cardholder choose again. `proof` is what the entry that chose
 * it has proven, `entryId` the entry that still waits for its code. None: the session is closed or over.
 */
export const updateCard = one(
  'sessions.update_card',
  `update sessions set card_id = $cardId, entry_id = $entryId,
     proven_card_id = case when $proof::text is null then proven_card_id else $cardId end,
     proof = case when $proof::text is null then proof
       when proven_card_id = $cardId and proof = 'code' then proof else $proof end
   where merchant_id = $merchantId and id = $sessionId and closed_at is null and expires_at > $at
   returning id`,
  { id: text },
)

/** The code of this very entry was right. None: another card or entry was begun meanwhile, or the session is over. */
export const updateProven = one(
  'sessions.update_proven',
  `update sessions set proven_card_id = card_id, proof = 'code', entry_id = null
   where merchant_id = $merchantId and id = $sessionId and card_id = $cardId and entry_id = $entryId
     and closed_at is null and expires_at > $at
   returning id`,
  { id: text },
)

/**
 * Gives the card that was proven in this session to a passkey that is being made. Returns how it was proven, and whether it
 * or another card of the customer belongs to a passkey already. None: the session has proven no card, or is over.
 */
export const claimProof = one(
  'sessions.claim_proof',
  `with proven as (
     select customer_id, proven_card_id, proof from sessions
     where merchant_id = $merchantId and id = $sessionId and customer_id = $customerId and card_id = proven_card_id
       and closed_at is null and expires_at > $at
       and exists (select from merchants where id = $merchantId and status = 'active')
   ), before as (
     select id, passkey_id from cards
     where merchant_id = $merchantId and id = (select proven_card_id from proven) and customer_id = $customerId
       and status = 'active'
   ), others as (
     select from cards
     where merchant_id = $merchantId and customer_id = $customerId and status = 'active' and passkey_id is not null
       and id is distinct from (select proven_card_id from proven)
   ), given as (
     update cards set passkey_id = $passkeyId where merchant_id = $merchantId and id = (select id from before)
   )
   select proven.proof, before.passkey_id is not null as had_passkey, exists (select from others) as others_have
   from proven, before`,
  { proof: oneOf(PROOFS), hadPasskey: bool, othersHave: bool },
)

/**
 * The one winner of any number of approvals: the first to close the session, in time, for the card that was shown. After a
 * revoke, a cancel, a second approval or another card chosen in another tab there is no row to match; neither for a
 * suspended merchant, nor for a card that belongs to another passkey and was not proven in this session. The card belongs to
 * the approving passkey from now on.
 */
export const updateApproved = one(
  'sessions.update_approved',
  `with closed as (
     update sessions set closed_at = $at
     where merchant_id = $merchantId and id = $sessionId and card_id = $cardId and closed_at is null and expires_at > $at
       and exists (select from merchants where id = $merchantId and status = 'active')
       and exists (
         select from cards where cards.merchant_id = $merchantId and cards.id = $cardId
           and cards.customer_id = sessions.customer_id and cards.status = 'active'
           and (cards.id = sessions.proven_card_id or cards.passkey_id = $passkeyId))
     returning card_id
   ), given as (
     update cards set passkey_id = $passkeyId
     where merchant_id = $merchantId and id = (select card_id from closed) and passkey_id is distinct from $passkeyId
   )
   select merchant_id, id, customer_id, last4, brand, network_token_ref, seal from cards
   where merchant_id = $merchantId and id = (select card_id from closed)`,
  {
    merchantId: text,
    id: text,
    customerId: text,
    last4: text,
    brand: nullable(text),
    networkTokenRef: text,
    seal: nullable(bytes),
  },
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
