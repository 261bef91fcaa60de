import { CARD_END_REASONS, CARD_STATUSES } from '@mintmark/contract'
import { bool, bytes, columns, int, json, nullable, oneOf, type RowOf, text, texts, time, uuid } from '../db/row.ts'
import { repeatAfter } from '../db/transaction.ts'
import { closeWorkOf, DUE_EARLIER_AND_FREE, dueWorkAt, insertWork, openWork } from '../jobs/fragments.ts'
import type { CardDesign } from '../network/port.ts'
import { originList } from '../platform/states.ts'
import { DELETE_RECORD_OF_CARD } from '../vault/fragments.ts'
import { CARD_TRANSITIONS } from './states.ts'

// Parts of statements that must be one with something else: a session is shown together with its cards, and a card is
// entered together with what it is entered for.

/** A card as an entry of its number finds it. */
const CARD_IN_ENTRY = {
  merchantId: text,
  id: text,
  customerId: text,
  vaultRecordId: nullable(uuid),
  last4: text,
  brand: nullable(text),
  expMonth: int,
  expYear: int,
  status: oneOf(CARD_STATUSES),
  networkTokenRef: nullable(text),
  seal: nullable(bytes),
  enrolment: int,
  /** Just this once: the sessions that alone may use it. Null: it is kept. */
  onceSessions: nullable(texts),
  /** Its deletion has begun, and why. */
  endingReason: nullable(oneOf(CARD_END_REASONS)),
}
export type CardInEntry = RowOf<typeof CARD_IN_ENTRY>

export const CARD = {
  ...CARD_IN_ENTRY,
  passkeyId: nullable(text),
  passkeySeal: nullable(bytes),
  stepUpPending: bool,
}
export type Card = RowOf<typeof CARD>

/** What is shown of a card to choose, and what says that it is the customer's. */
export const SAVED_CARD = {
  merchantId: text,
  id: text,
  customerId: text,
  vaultRecordId: nullable(uuid),
  last4: text,
  brand: nullable(text),
  expMonth: int,
  expYear: int,
  networkTokenRef: nullable(text),
  seal: nullable(bytes),
}

/** What a list shows of a card, and the same. */
export const LISTED_CARD = {
  ...SAVED_CARD,
  fingerprint: bytes,
  entrySeal: bytes,
  status: oneOf(CARD_STATUSES),
  isDefault: bool,
  design: nullable(json<CardDesign>()),
  acceptedAt: time,
}
export type ListedRow = RowOf<typeof LISTED_CARD>

/** A card as its deletion must know it. */
export const DELETABLE_CARD = {
  ...CARD,
  version: int,
  acceptedAt: nullable(time),
  wasDefault: nullable(bool),
  networkTokenDeleted: nullable(bool),
}
export type DeletableCard = RowOf<typeof DELETABLE_CARD>

/** A condition: the card is kept, or is for this session alone. */
export const isFor = <const Session extends string>(session: Session) =>
  `(once_sessions is null or ${session} = any (once_sessions))` as const

/**
 * Which active cards a session may use: those of the customer's passkey, and the one that was proven in the session itself.
 * A card that came without a passkey must not be spent by the holder of another link of the same customer; one that is not
 * kept is used in its own sessions only, also by the passkey.
 */
export const usableBy = <const Session extends string, const Customer extends string, const Proven extends string>(
  session: Session,
  customer: Customer,
  proven: Proven,
) =>
  `status = 'active' and ${isFor(session)} and (id = ${proven} or passkey_id = (
       select own.id from passkeys own
       where own.merchant_id = $merchantId and own.customer_id = ${customer} and own.retired_at is null))` as const

/** The default first, then the newest. */
export const DEFAULT_FIRST = 'order by is_default desc, created_at desc, id'

/** A condition: other active cards than this one of the customer belong to a passkey, also to one that was replaced. */
export const othersHavePasskey = <const Customer extends string, const Card extends string>(
  customer: Customer,
  card: Card,
) =>
  `exists (select 1 from cards others
     where others.merchant_id = $merchantId and others.customer_id = ${customer} and others.status = 'active'
       and others.passkey_id is not null and others.id is distinct from ${card})` as const

const BEFORE_PROVISIONING = originList(CARD_TRANSITIONS, 'provisioning')

/** A card that is found otherwise than by its number, and what says whose card of which number it is. */
export const BEGUN_CARD = { ...CARD, entrySeal: bytes, fingerprint: bytes }

const IN_ENTRY = { ...CARD_IN_ENTRY, entrySeal: bytes }

/**
 * CTE `card`: the customer's one card of a number, inserted if there is none, and if there is a row of `open`. One of any number
 * of entries together does that, and the others get its row: `is_new` is false in it, and nothing is changed. One that was deleted is
 * returned as that: `REVIVED_CARD` is for it.
 */
export const ENTERED_CARD = `card as (
     insert into cards (merchant_id, id, customer_id, vault_record_id, fingerprint, entry_seal, last4, brand, exp_month, exp_year,
       status, step_up_pending, is_default, once_sessions, created_at, updated_at)
     select $merchantId, $cardId, $customerId, $vaultRecordId, $fingerprint, $entrySeal, $last4, $brand, $expMonth, $expYear,
       'provisioning', false, false, $onceSessions::text[], $at, $at
     from open
     on conflict (merchant_id, customer_id, fingerprint) where status <> 'deleted' or accepted_at is not null
       do update set is_default = cards.is_default
     returning ${columns(IN_ENTRY)}, id = $cardId as is_new
   )` as const

/**
 * CTE `card`: a card that was deleted begins anew, as another enrollment of the same card, if there is a row of `open`: it belongs to
 * no passkey, and its deletion stands until the network accepts it. No row: another entry has done that.
 */
export const REVIVED_CARD = `card as (
     update cards set status = 'provisioning', enrolment = enrolment + 1, vault_record_id = $vaultRecordId, last4 = $last4,
       brand = $brand, exp_month = $expMonth, exp_year = $expYear, passkey_id = null, passkey_seal = null, step_up_pending = false,
       is_default = false, once_sessions = $onceSessions::text[], consent_at = null, updated_at = $at
     where merchant_id = $merchantId and id = $cardId and customer_id = $customerId and fingerprint = $fingerprint
       and accepted_at is not null and status in (${BEFORE_PROVISIONING}) and exists (select 1 from open)
     returning ${columns(IN_ENTRY)}, true as is_new
   )` as const

/** The row of `card`, and which cards its merchant accepts, whom `open` has. */
export const ENTERED = { ...IN_ENTRY, isNew: bool, cardCountries: nullable(texts), cardIssuers: nullable(texts) }
/** The end of a statement that enters a card: its columns, and its number, if it is new. */
export const ENTERED_COLUMNS = `${columns(ENTERED)} from card, open` as const

/** From where a card ends that was never accepted. */
export const BEFORE_DELETED = originList(CARD_TRANSITIONS, 'deleted', ['provisioning'])

/**
 * The end of a statement: the card that the CTE `ended` has locked ends, and its number is destroyed. The network may have accepted it
 * without our having heard of that, or may yet: the work is opened to end its token there. Returns the id of that work.
 */
export const END_CARD = `${DELETE_RECORD_OF_CARD}, token as (
     update cards set status = 'deleted', vault_record_id = null, step_up_pending = false, once_sessions = null, updated_at = $at
     from ended
     where cards.merchant_id = $merchantId and cards.id = ended.id and cards.status in (${BEFORE_DELETED})
     returning $networkCardId::text as id
   )
   ${openWork('token', 'token', '$at')}
   returning id` as const

const BEFORE_ACTIVE = originList(CARD_TRANSITIONS, 'active')

/** Conditions: the card has not ended since it was asked about, nor begun to. A CTE `session`, of one row or none, is locked before it. */
const STILL_THERE = `merchant_id = $merchantId and id = $cardId and enrolment = $enrolment and ending_reason is null
       and (select count(*) from session) < 2` as const

/** CTE `card`: such a card, locked. */
export const LOCKED_CARD = `card as (
     select ${columns(CARD)} from cards where ${STILL_THERE} and status <> 'deleted' for update
   )` as const

// One statement reads whether there is a default and writes it; the index lets one of two at the same moment pass.
repeatAfter('cards_default_key')

/** Whose card is marked as the default: a condition. */
export const HAS_DEFAULT = `exists (
         select 1 from cards other where other.merchant_id = $merchantId and other.customer_id = cards.customer_id
           and other.status = 'active' and other.is_default)` as const

/**
 * CTE `changed`: the network accepted a card that waited for that. The first one of a customer that is kept becomes the default.
 * `once` is SQL: the session that the accepted entry is for alone, as an array, or null; here as below.
 */
export const acceptedCard = <const Once extends string, const Condition extends string>(
  once: Once,
  condition: Condition,
) =>
  `changed as (
     update cards set status = 'active', network_token_ref = $tokenRef, seal = $seal, exp_month = $expMonth,
       exp_year = $expYear, design = $design::jsonb, step_up_pending = false, updated_at = $at, accepted_at = $at,
       deleted_at = null, deletion_reason = null, was_default = null, network_token_deleted = null,
       once_sessions = ${once}, is_default = ${once} is null and not ${HAS_DEFAULT}
     where ${condition} and status in (${BEFORE_ACTIVE})
     returning ${columns(CARD)}
   )` as const

/**
 * CTE `changed`: a card that is active already was accepted anew, for more than it was. One that is kept for whoever stays so; else it is
 * for one session more. `set` is SQL: what else is written.
 */
const renewedCard = <const Once extends string, const Set extends string>(once: Once, set: Set) =>
  `changed as (
     update cards set ${set}updated_at = $at,
       once_sessions = case when once_sessions is null or ${once} is null then null
         when ${once} <@ once_sessions then once_sessions else once_sessions || ${once} end,
       is_default = is_default or (once_sessions is not null and ${once} is null and not ${HAS_DEFAULT})
     where ${STILL_THERE} and status = 'active'
     returning ${columns(CARD)}
   )` as const

/** Their `once` of an entry that was accepted at once. */
const ONCE = '$onceSessions::text[]'
export const ACCEPTED_CARD = acceptedCard(ONCE, STILL_THERE)
/** With the expiry that was entered. */
export const RENEWED_CARD = renewedCard(ONCE, 'exp_month = $expMonth, exp_year = $expYear, ')

/** For an entry that a code confirms: what the `session` says, where it is open. A session that is over says nothing: the card stays as it is. */
const ONCE_CHOSEN = `case (select bool_or(entry_once) from session)
         when true then array[$sessionId::text] when false then null else once_sessions end` as const
export const VERIFIED_CARD = acceptedCard(ONCE_CHOSEN, STILL_THERE)
/** No expiry was entered. */
export const PROVEN_CARD = renewedCard(ONCE_CHOSEN, '')

/**
 * CTE `changed`: a code is awaited for `card`, and its day to be accepted starts anew. It is for what its last entry chose. An
 * active card stays as it is.
 */
export const AWAITED_CARD = `changed as (
     update cards set step_up_pending = true, once_sessions = $onceSessions::text[], updated_at = $at
     from card
     where cards.merchant_id = $merchantId and cards.id = card.id and cards.status in (${BEFORE_ACTIVE})
     returning ${columns(CARD, 'cards')}
   )` as const

/** The card as `changed` left it, or as it was active before; no row: it has ended. */
export const CARD_AFTER = `(
     select ${columns(CARD)} from changed union all select ${columns(CARD)} from card where status = 'active'
   )` as const

/**
 * An INSERT of the work to delete a card when the time of `$sessionId` is over, if it is not kept since the statements before this one. A
 * worker that looked at older work on it writes nothing. `card` is SQL, and says which card.
 */
export const openDeletion = <const Condition extends string>(card: Condition) =>
  `${insertWork('deletion', 'cards.id', 'sessions.expires_at', '0', 'null')}
   from cards, sessions
   where cards.merchant_id = $merchantId and ${card} and cards.status <> 'deleted' and cards.once_sessions is not null
     and cards.ending_reason is null and sessions.merchant_id = $merchantId and sessions.id = $sessionId
   ${DUE_EARLIER_AND_FREE} returning id` as const
/** It is the customer's card of a number. */
export const OF_NUMBER = 'cards.customer_id = $customerId and cards.fingerprint = $fingerprint'

/** CTE `unneeded`: what the CTE `cte` has of cards that are kept now: nothing is left to do about their deletion. */
export const closeDeletion = <const Cte extends string>(cte: Cte) =>
  `unneeded as (
     ${closeWorkOf('deletion', `(select id from ${cte} where once_sessions is null)` as const)}
   )` as const

/**
 * CTE `released`: a session of the customer has ended, if `cte` has a row: what they entered for it alone may be deleted now.
 * `customer` is SQL. A worker that holds the work keeps it, and does not put it off.
 */
export const releaseCards = <const Cte extends string, const Customer extends string>(cte: Cte, customer: Customer) =>
  `released as (
     ${dueWorkAt(
       'deletion',
       `any (array(
       select id from cards
       where merchant_id = $merchantId and customer_id = ${customer as Customer} and once_sessions is not null and exists (select 1 from ${cte as Cte})))` as const,
       '$at',
     )}
   )` as const

/** An UPDATE: the network is being asked for the card, so the day after which one that was left half entered is ended starts anew. */
export const CARD_ASKED_FOR =
  `update cards set updated_at = $at where merchant_id = $merchantId and id = $cardId and status = 'provisioning'` as const

/** An UPDATE: there is a consent to this enrollment of the card, since now. */
export const CARD_CONSENTED = `update cards set consent_at = $at
   where merchant_id = $merchantId and id = $cardId and enrolment = $enrolment and status <> 'deleted' and consent_at is null` as const

/** An UPDATE: the card belongs to the passkey from now on. */
export const GIVE_CARD = `update cards set passkey_id = $passkeyId, passkey_seal = $passkeySeal
     where merchant_id = $merchantId and id = $cardId` as const
/** CTE `given`: the same, if `condition` holds. */
export const giveCard = <const Condition extends string>(condition: Condition) =>
  `given as (
     ${GIVE_CARD} and ${condition}
   )` as const
