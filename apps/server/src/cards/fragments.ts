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

export const CARD = {
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
  passkeyId: nullable(text),
  passkeySeal: nullable(bytes),
  seal: nullable(bytes),
  stepUpPending: bool,
  enrolment: int,
  /** Just this once: the sessions that alone may use it. Null: it is kept. */
  onceSessions: nullable(texts),
  /** Its deletion has begun, and why. */
  endingReason: nullable(oneOf(CARD_END_REASONS)),
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

/** A card, and what says whose card of which number it is. */
const IN_ENTRY = { ...CARD, entrySeal: bytes }
/** The same of a card that is found otherwise than by its number. */
export const BEGUN_CARD = { ...IN_ENTRY, fingerprint: bytes }

/**
 * CTE `card`: the customer's one card of a number, if there is a row of `open`. One that was deleted begins anew, as another
 * enrolment of the same card: it belongs to no passkey, and its deletion stands until the network accepts it. One that is not
 * there is inserted. Of any number of entries together one does that, and the others get its row: `is_new` is false of it, and
 * nothing is changed.
 */
export const ENTERED_CARD = `revived as (
     update cards set status = 'provisioning', enrolment = enrolment + 1, vault_record_id = $vaultRecordId, last4 = $last4,
       brand = $brand, exp_month = $expMonth, exp_year = $expYear, passkey_id = null, passkey_seal = null, step_up_pending = false,
       is_default = false, once_sessions = $onceSessions::text[], consent_at = null, updated_at = $at
     where merchant_id = $merchantId and customer_id = $customerId and fingerprint = $fingerprint and accepted_at is not null
       and status in (${BEFORE_PROVISIONING}) and exists (select 1 from open)
     returning ${columns(IN_ENTRY)}
   ), entered as (
     insert into cards (merchant_id, id, customer_id, vault_record_id, fingerprint, entry_seal, last4, brand, exp_month, exp_year,
       status, step_up_pending, is_default, once_sessions, created_at, updated_at)
     select $merchantId, $cardId, $customerId, $vaultRecordId, $fingerprint, $entrySeal, $last4, $brand, $expMonth, $expYear,
       'provisioning', false, false, $onceSessions::text[], $at, $at
     from open where not exists (select 1 from revived)
     on conflict (merchant_id, customer_id, fingerprint) where status <> 'deleted' or accepted_at is not null
       do update set is_default = cards.is_default
     returning ${columns(IN_ENTRY)}, id = $cardId as is_new
   ), card as (
     select ${columns(IN_ENTRY)}, true as is_new from revived union all select ${columns(IN_ENTRY)}, is_new from entered
   )` as const
const IS_NEW = { ...IN_ENTRY, isNew: bool }
/** The rows of `card`, and which cards their merchant accepts. */
export const ENTERED = { ...IS_NEW, cardCountries: nullable(texts), cardIssuers: nullable(texts) }
/** The select list of `ENTERED`, from `card`. */
export const ENTERED_COLUMNS =
  `${columns(IS_NEW)}, (select card_countries from merchants where id = $merchantId) as card_countries,
     (select card_issuers from merchants where id = $merchantId) as card_issuers` as const

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

/** CTE `card`: a card that has not ended since it was asked about, nor begun to, locked. Needs a CTE `session`, whose lock is taken before. */
export const LOCKED_CARD = `card as (
     select ${columns(CARD)} from cards
     where merchant_id = $merchantId and id = $cardId and enrolment = $enrolment and status <> 'deleted' and ending_reason is null
       and (select count(*) from session) < 2
     for update
   )` as const

// Read and written by one statement each; of two at the same moment the index lets one pass.
repeatAfter('cards_default_key')

/** Whose card is marked as the default: a condition. */
export const HAS_DEFAULT = `exists (
         select 1 from cards other where other.merchant_id = $merchantId and other.customer_id = cards.customer_id
           and other.status = 'active' and other.is_default)` as const

/**
 * CTE `changed`: the network accepted `card`, unless it is active already. The first one of a customer that is kept becomes the
 * default. `once` is SQL: the session that the accepted entry is for alone, as an array, or null.
 */
export const acceptedCard = <const Once extends string>(once: Once) =>
  `changed as (
     update cards set status = 'active', network_token_ref = $tokenRef, seal = $seal, exp_month = $expMonth,
       exp_year = $expYear, design = $design::jsonb, step_up_pending = false, updated_at = $at, accepted_at = $at,
       deleted_at = null, deletion_reason = null, was_default = null, network_token_deleted = null, once_sessions = ${once},
       is_default = ${once} is null and (cards.is_default or not ${HAS_DEFAULT})
     from card
     where cards.merchant_id = $merchantId and cards.id = card.id and cards.status in (${BEFORE_ACTIVE})
     returning ${columns(CARD, 'cards')}
   )` as const

/** An active card after another entry of it: one that is kept for whoever stays so; else it is for one session more. */
const onceAfter = <const Once extends string>(once: Once) =>
  `case when cards.once_sessions is null or ${once} is null then null
       when ${once} <@ cards.once_sessions then cards.once_sessions else cards.once_sessions || ${once} end` as const

const renewed = <const Once extends string, const Set extends string, const Differs extends string>(
  once: Once,
  set: Set,
  differs: Differs,
) =>
  `renewed as (
     update cards set ${set}once_sessions = ${onceAfter(once)}, updated_at = $at,
       is_default = cards.is_default or (cards.once_sessions is not null and ${once} is null and not ${HAS_DEFAULT})
     where cards.merchant_id = $merchantId and cards.id = (select id from card where status = 'active')
       and (${differs}cards.once_sessions is distinct from ${onceAfter(once)})
     returning ${columns(CARD, 'cards')}
   )` as const

/** CTE `renewed`: `card` is active already, and was accepted with another expiry, or for more than it was. `once` as before. */
export const renewedCard = <const Once extends string>(once: Once) =>
  renewed(once, 'exp_month = $expMonth, exp_year = $expYear, ', 'exp_month <> $expMonth or exp_year <> $expYear or ')

/** The same of an entry without an expiry. */
export const provenCard = <const Once extends string>(once: Once) => renewed(once, '', '')

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
   ) after` as const

/** The same where `renewed` may have changed an active card. */
export const RENEWED_CARD_AFTER = `(
     select ${columns(CARD)} from changed union all select ${columns(CARD)} from renewed
     union all select ${columns(CARD)} from card where status = 'active' and not exists (select 1 from renewed)
   ) after` as const

/**
 * CTE `deletion`: the work to delete `card` once the session in `open` has ended, if it is entered there for that session alone.
 * Who looked at older work on the card writes nothing.
 */
export const OPEN_DELETION = `deletion as (
     ${insertWork('deletion', 'card.id', 'open.expires_at', '0', 'null')}
     from card, open
     where $onceSessions::text[] is not null and card.ending_reason is null
       and (card.is_new or card.once_sessions is not null or card.status = 'provisioning')
     ${DUE_EARLIER_AND_FREE}
   )` as const

/** CTE `unneeded`: what `cards`, SQL of rows, has of cards that are kept now: nothing is left to do about their deletion. */
export const closeDeletion = <const Cards extends string>(cards: Cards) =>
  `unneeded as (
     ${closeWorkOf('deletion', `(select id from ${cards} where once_sessions is null)` as const)}
   )` as const
/** The cards that an entry has changed. */
export const CHANGED_CARDS =
  '(select id, once_sessions from changed union all select id, once_sessions from renewed) cards' as const

/**
 * CTE `released`: a session of the customer has ended, if `cte` has a row: what they entered for it alone may be deleted now.
 * `customer` is SQL. Who holds the work keeps it, and does not put it off.
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

/** An UPDATE: there is a consent to this enrolment of the card, since now. */
export const CARD_CONSENTED = `update cards set consent_at = $at
   where merchant_id = $merchantId and id = $cardId and enrolment = $enrolment and status <> 'deleted' and consent_at is null` as const

/** CTE `given`: the card belongs to the passkey from now on, if `condition` holds. */
export const giveCard = <const Condition extends string>(condition: Condition) =>
  `given as (
     update cards set passkey_id = $passkeyId, passkey_seal = $passkeySeal
     where merchant_id = $merchantId and id = $cardId and ${condition}
   )` as const
