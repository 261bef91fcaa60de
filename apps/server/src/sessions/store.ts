import { INTEGRATION_TYPES, type MerchantStatus, SESSION_KINDS } from '@mintmark/contract'
import { usableBy } from '../cards/fragments.ts'
import type { SHOWN_CHARGE } from '../charges/fragments.ts'
import type { SHOWN_PURCHASE } from '../checkout/purchases/fragments.ts'
import { bigint, bytes, columns, int, json, nullable, oneOf, type RowOf, text, time, uuid } from '../db/row.ts'
import { one } from '../db/statement.ts'
import type { SHOWN_ENROLLMENT } from '../enrollment/fragments.ts'
import { overdueRows } from '../jobs/overdue.ts'
import type { SHOWN_SETUP } from '../mandates/setup-fragments.ts'
import { inBoth, inEach } from './fragments.ts'
import type { PurchaseSummary } from './purchase.ts'

/** How a card was proven: its number and CVV were entered, or its CVV and the network's code. */
export const PROOFS = ['entered', 'code'] as const
export type Proof = (typeof PROOFS)[number]

export const GRANT = {
  merchantId: text,
  id: text,
  kind: oneOf(SESSION_KINDS),
  customerId: text,
  /** Null in an enrollment: it orders nothing. */
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
  proofSeal: nullable(bytes),
  /** The entry of the chosen card that waits for the network's code. */
  entryId: nullable(uuid),
  /** BCP 47, in its one spelling; null: the merchant has not said. */
  locale: nullable(text),
  launchHash: bytes,
  /**
   * The agent that has asked for it, its name as the cardholder reads it, and the seal over both; null where a merchant
   * has.
   */
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
const { id, kind, orderId, description, summary, effectiveMinutes, agentId, agentName, agentSeal, ...ALIKE } = GRANT
/** The select list of what every session has and every row names alike, from `s`. */
export const GRANT_COLUMNS = columns(ALIKE, 's')
/** The same of what a session has that orders something. */
export const ORDER_COLUMNS = columns({ orderId, description, summary, effectiveMinutes }, 's')

/** What every subject has; an enrollment no more than the name of the shop, and the last change. */
export const SUBJECT = {
  /** Null in a payment that is not approved. */
  mandateId: text,
  amountMinor: bigint,
  currency: text,
  payeeName: text,
  payeeNetworkName: text,
  payeeUrl: text,
  payeeCountry: text,
  externalOrderRef: nullable(text),
  /** When the subject last changed: of one that has ended, when it did. A mandate may change after it was set up. */
  changedAt: time,
}

/** What a session has that orders something. */
type Ordered = RowOf<typeof GRANT> & RowOf<typeof SUBJECT> & { merchantStatus: MerchantStatus }
/** What an enrollment has not. */
type OfOrders = Exclude<keyof typeof SUBJECT, 'payeeName' | 'changedAt'> | 'effectiveMinutes'
/** One purchase; its subject is a charge, whose mandate there is once it is approved. */
export type PaymentSession = Omit<Ordered, 'kind' | 'mandateId'> & {
  kind: 'payment'
  mandateId: string | null
} & RowOf<typeof SHOWN_CHARGE> &
  RowOf<typeof SHOWN_PURCHASE>
/** A standing permission to be given; its subject is a mandate. */
export type SetupSession = Omit<Ordered, 'kind'> & { kind: 'mandate_setup' } & RowOf<typeof SHOWN_SETUP>
/** A card to be enrolled; its subject is an enrollment. */
export type EnrollmentSession = Omit<Ordered, OfOrders | 'kind' | 'orderId'> & {
  kind: 'enrollment'
  orderId: string | null
} & RowOf<typeof SHOWN_ENROLLMENT>
export type Session = PaymentSession | SetupSession | EnrollmentSession

/**
 * Which card the session will be approved with, of those that it may use; null lets the cardholder choose again. None:
 * the session is closed or over, or the card is not one of these.
 */
export const updateCard = inBoth(({ feature, table, key, place }) =>
  one(
    `${feature}.update_card`,
    `update ${table} set card_id = $cardId, entry_id = null
   where ${place} and closed_at is null and expires_at > $at
     and ($cardId::text is null or exists (
       select 1 from cards where merchant_id = $merchantId and customer_id = ${table}.customer_id and id = $cardId
         and ${usableBy(`${table}.${key}`, `${table}.customer_id`, `${table}.proven_card_id`)}))
   returning id`,
    { id: text },
  ),
)

/** Gives an open session more time, once and near its end. None: not yet, or not again, or it is over. */
export const updateExtended = inEach(({ feature, table, place }) =>
  one(
    `${feature}.extend`,
    `update ${table} set extended_at = $at, expires_at = $newEnd
   where ${place} and closed_at is null and extended_at is null
     and expires_at = $end and expires_at > $at and expires_at <= $askableEnd
   returning id`,
    { id: text },
  ),
)

/**
 * Takes one of the new codes that a session has, some time after the last one was sent. None: not yet, none is left, or
 * no code is awaited.
 */
export const updateNewCode = inEach(({ feature, table, place }) =>
  one(
    `${feature}.take_new_code`,
    `update ${table} set code_sent_at = $at, entry_new_codes = entry_new_codes + 1, new_codes = new_codes + 1
   where ${place} and entry_id = $entryId and closed_at is null and expires_at > $at
     and new_codes < $most and (code_sent_at is null or code_sent_at <= $lastSentBy)
   returning entry_new_codes`,
    { entryNewCodes: int },
  ),
)

/** Closes a session without an approval. None: it was closed before. */
export const updateCancelled = inEach(({ feature, table, place }) =>
  one(
    `${feature}.update_cancelled`,
    `update ${table} set closed_at = $at
   where ${place} and closed_at is null
   returning id`,
    { id: text },
  ),
)

/** Closes a session whose time is over. None: it was closed before, or has time left. */
export const updateExpired = inEach(({ feature, table, place }) =>
  one(
    `${feature}.update_expired`,
    `update ${table} set closed_at = $at
   where ${place} and closed_at is null and expires_at <= $at
   returning id`,
    { id: text },
  ),
)

/**
 * Closes a session, with `isApprovedToo` also one that was approved; whether that may still be revoked is the subject's
 * to say. None: it was closed before.
 */
export const updateRevoked = inEach(({ feature, table, place }) =>
  one(
    `${feature}.update_revoked`,
    `update ${table} set closed_at = coalesce(closed_at, $at), session_version = session_version + 1
   where ${place} and (closed_at is null or $isApprovedToo)
   returning session_version as version`,
    { version: int },
  ),
)

/** Sessions that were not used in time. */
export const overdueSessions = inEach(({ feature, table, key, listed }) =>
  overdueRows(feature, { table, id: key, due: 'expires_at', where: `closed_at is null and ${listed}` }),
)
