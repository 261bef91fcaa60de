import { CARD_STATUSES } from '@mintmark/contract'
import {
  bool,
  bytes,
  columns,
  int,
  json,
  nullable,
  objectOf,
  oneOf,
  type RowOf,
  text,
  texts,
  time,
  uuid,
} from '../db/row.ts'
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
  seal: nullable(bytes),
  stepUpPending: bool,
  enrolment: int,
}
export type Card = RowOf<typeof CARD>

/** What a list shows of a card. */
export const LISTED_CARD = {
  id: text,
  last4: text,
  brand: nullable(text),
  expMonth: int,
  expYear: int,
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

/**
 * Which active cards a session may use: those of the customer's passkey, and the one that was proven in the session itself.
 * A card that came without a passkey must not be spent by the holder of another link of the same customer.
 */
export const usableBy = <const Customer extends string, const Proven extends string>(
  customer: Customer,
  proven: Proven,
) =>
  `status = 'active' and (id = ${proven} or exists (
       select from passkeys where passkeys.merchant_id = $merchantId and passkeys.id = cards.passkey_id
         and passkeys.customer_id = ${customer} and passkeys.retired_at is null))` as const

const DEFAULT_FIRST = 'order by is_default desc, created_at desc, id'

/** A subquery: the card of `sessions s`, as an object. */
export const CHOSEN_CARD = `select ${objectOf(CARD, 'cards')} from cards
     where merchant_id = $merchantId and id = s.card_id and customer_id = s.customer_id`

/** A subquery: the cards that `sessions s` may use while it is open, as objects: the default first, then the newest. */
export const USABLE_CARDS = `select coalesce(json_agg(${objectOf(CARD, 'usable')} ${DEFAULT_FIRST}), '[]')
     from (select * from cards
       where merchant_id = $merchantId and customer_id = s.customer_id and s.closed_at is null
         and ${usableBy('s.customer_id', 's.proven_card_id')} ${DEFAULT_FIRST} limit 50) usable`

/** A condition: other active cards than this one of the customer belong to a passkey, also to one that was replaced. */
export const othersHavePasskey = <const Customer extends string, const Card extends string>(
  customer: Customer,
  card: Card,
) =>
  `exists (select from cards others
     where others.merchant_id = $merchantId and others.customer_id = ${customer} and others.status = 'active'
       and others.passkey_id is not null and others.id is distinct from ${card})` as const

const BEFORE_PROVISIONING = originList(CARD_TRANSITIONS, 'provisioning')

/**
 * CTE `card`: the customer's one card of a number, if there is a row of `open`. One that was deleted begins anew, as another
 * enrolment of the same card: it belongs to no passkey, and its deletion stands until the network accepts it. One that is not
 * there is inserted. Of any number of entries together one does that, and the others get its row: `is_new` is false of it, and
 * nothing is changed.
 */
export const ENTERED_CARD = `revived as (
     update cards set status = 'provisioning', enrolment = enrolment + 1, vault_record_id = $vaultRecordId, last4 = $last4,
       brand = $brand, exp_month = $expMonth, exp_year = $expYear, passkey_id = null, step_up_pending = false,
       is_default = false, updated_at = $at
     where merchant_id = $merchantId and customer_id = $customerId and fingerprint = $fingerprint and accepted_at is not null
       and status in (${BEFORE_PROVISIONING}) and exists (select from open)
     returning ${columns(CARD)}
   ), entered as (
     insert into cards (merchant_id, id, customer_id, vault_record_id, fingerprint, last4, brand, exp_month, exp_year,
       status, step_up_pending, is_default, created_at, updated_at)
     select $merchantId, $cardId, $customerId, $vaultRecordId, $fingerprint, $last4, $brand, $expMonth, $expYear,
       'provisioning', false, false, $at, $at
     from open where not exists (select from revived)
     on conflict (merchant_id, customer_id, fingerprint) where status <> 'deleted' or accepted_at is not null
       do update set is_default = cards.is_default
     returning ${columns(CARD)}, id = $cardId as is_new
   ), card as (
     select ${columns(CARD)}, true as is_new from revived union all select ${columns(CARD)}, is_new from entered
   )` as const
const IS_NEW = { ...CARD, isNew: bool }
/** The rows of `card`, and which cards their merchant accepts. */
export const ENTERED = { ...IS_NEW, cardCountries: nullable(texts), cardIssuers: nullable(texts) }
/** The select list of `ENTERED`, from `card`. */
export const ENTERED_COLUMNS =
  `${columns(IS_NEW)}, (select card_countries from merchants where id = $merchantId) as card_countries,
     (select card_issuers from merchants where id = $merchantId) as card_issuers` as const

/** From where a card ends that was never accepted. */
export const BEFORE_DELETED = originList(CARD_TRANSITIONS, 'deleted', ['provisioning'])

/** The end of a statement: the card that the CTE `ended` has locked ends, and its number is destroyed. Returns its id. */
export const END_CARD = `${DELETE_RECORD_OF_CARD}
   update cards set status = 'deleted', vault_record_id = null, step_up_pending = false, updated_at = $at
   from ended
   where cards.merchant_id = $merchantId and cards.id = ended.id and cards.status in (${BEFORE_DELETED})
   returning cards.id` as const

const BEFORE_ACTIVE = originList(CARD_TRANSITIONS, 'active')

/** CTE `card`: a card that has not ended since it was asked about, locked. Needs a CTE `session`, whose lock is taken before. */
export const LOCKED_CARD = `card as (
     select ${columns(CARD)} from cards
     where merchant_id = $merchantId and id = $cardId and enrolment = $enrolment and status <> 'deleted'
       and (select count(*) from session) < 2
     for update
   )` as const

/** CTE `changed`: the network accepted `card`, unless it is active already. The first one of a customer becomes the default. */
export const ACCEPTED_CARD = `changed as (
     update cards set status = 'active', network_token_ref = $tokenRef, seal = $seal, exp_month = $expMonth,
       exp_year = $expYear, design = $design::jsonb, step_up_pending = false, updated_at = $at, accepted_at = $at,
       deleted_at = null, deletion_reason = null, was_default = null, network_token_deleted = null,
       is_default = cards.is_default or not exists (
         select from cards other where other.merchant_id = $merchantId and other.customer_id = cards.customer_id
           and other.status = 'active' and other.is_default)
     from card
     where cards.merchant_id = $merchantId and cards.id = card.id and cards.status in (${BEFORE_ACTIVE})
     returning ${columns(CARD, 'cards')}
   )` as const

/** CTE `renewed`: `card` is active already, and was accepted with another expiry. */
export const RENEWED_CARD = `renewed as (
     update cards set exp_month = $expMonth, exp_year = $expYear, updated_at = $at
     where cards.merchant_id = $merchantId and cards.id = (
       select id from card where status = 'active' and (exp_month <> $expMonth or exp_year <> $expYear))
     returning ${columns(CARD, 'cards')}
   )` as const

/** CTE `changed`: a code is awaited for `card`, and its day to be accepted starts anew. An active card stays as it is. */
export const AWAITED_CARD = `changed as (
     update cards set step_up_pending = true, updated_at = $at
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
     union all select ${columns(CARD)} from card where status = 'active' and not exists (select from renewed)
   ) after` as const
