import { CARD_END_REASONS } from '@mintmark/contract'
import { namedCustomer } from '../customers/fragments.ts'
import { bool, columns, int, nullable, object, objectOf, objects, oneOf, text } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { overdueRows } from '../jobs/overdue.ts'
import { dueWork } from '../jobs/work.ts'
import { originList } from '../platform/states.ts'
import { DELETE_RECORD_OF_CARD, RENEW_RECORD_OF_CARD } from '../vault/fragments.ts'
import { BEFORE_DELETED, BEGUN_CARD, CARD, DELETABLE_CARD, END_CARD, LISTED_CARD, usableBy } from './fragments.ts'
import { ABANDONED_AFTER_SECONDS } from './rules.ts'
import { CARD_TRANSITIONS } from './states.ts'

export type { Card, CardInEntry, DeletableCard } from './fragments.ts'

/** A card of this customer, in any status. */
export const findCard = one(
  'cards.find',
  `select ${columns(CARD)} from cards
   where merchant_id = $merchantId and customer_id = $customerId and id = $cardId`,
  CARD,
)

/** The same with what says whose card of which number it is. */
export const findBegun = one(
  'cards.find_begun',
  `select ${columns(BEGUN_CARD)} from cards
   where merchant_id = $merchantId and customer_id = $customerId and id = $cardId`,
  BEGUN_CARD,
)

export const findUsableCard = one(
  'cards.find_usable',
  `select ${columns(CARD)} from cards
   where merchant_id = $merchantId and customer_id = $customerId and id = $cardId
     and ${usableBy('$sessionId', '$customerId', '$provenCardId::text')}`,
  CARD,
)

/**
 * The cards of a customer that were accepted once, but for one that is used just once now: the default first, then from
 * the newest to the oldest. One row and one statement, however many they are; no customer in it: there is none of that name.
 */
export const listCards = one(
  'cards.list',
  `select whose.id as customer_id, (
     select coalesce(json_agg(${objectOf(LISTED_CARD, 'cards')} order by is_default desc, accepted_at desc, id desc), '[]')
     from cards
     where merchant_id = $merchantId and customer_id = whose.id and accepted_at is not null
       and (case when status = 'active' then once_sessions is null else $withDeleted end)) as cards
   from (select ${namedCustomer('$customer')} as id) whose`,
  { customerId: nullable(text), cards: objects(LISTED_CARD) },
)

/**
 * Ends a card that the network did not accept, and destroys its number. The row is locked first: a pointer read before
 * another change could name a record that is in use. Undefined when it was accepted or ended before.
 */
export const updateDeleted = one(
  'cards.update_deleted',
  `with ended as (
     select id, vault_record_id from cards
     where merchant_id = $merchantId and id = $cardId and enrolment = $enrolment and status in (${BEFORE_DELETED})
     for update
   ), ${END_CARD}`,
  { id: text },
)

/** An active card was accepted with this expiry: its record has it as well. */
export const updateRecord = execute(
  'cards.update_record',
  `with card as (
     select vault_record_id from cards
     where merchant_id = $merchantId and id = $cardId and enrolment = $enrolment and status = 'active'
       and exp_month = $expMonth and exp_year = $expYear
   ) ${RENEW_RECORD_OF_CARD}`,
)

export const TOKEN_JOB = 'cards.end_tokens'
/** What the network may have made of such a card. Its id is the network's name of the card. */
export const tokens = dueWork('tokens', 'token', { job: TOKEN_JOB, shape: {} })

/** A card of a customer by either name, as its deletion must know it. No customer in the row: there is none of that name. */
export const findToDelete = one(
  'cards.find_to_delete',
  `select whose.id as customer_id, (
     select ${objectOf(DELETABLE_CARD, 'cards')} from cards
     where merchant_id = $merchantId and customer_id = whose.id and id = $cardId) as card
   from (select ${namedCustomer('$customer')} as id) whose`,
  { customerId: nullable(text), card: nullable(object(DELETABLE_CARD)) },
)

const BEFORE_ENDED = originList(CARD_TRANSITIONS, 'deleted', ['active'])

/**
 * A card of which the network has deleted the token ends, and its number is destroyed. The newest of the other active ones that
 * are kept becomes the default in its place. None: it is not active with that token any more.
 *
 * No key of the row changes, so where foreign keys lead to it (ADR 0120) a charge may refer to it meanwhile. Were it locked against that too,
 * each would wait for the other: a charge holds its mandate, which this deletion goes on to cancel.
 */
export const updateEnded = one(
  'cards.update_ended',
  `with ended as (
     select id, vault_record_id from cards
     where merchant_id = $merchantId and id = $cardId and customer_id = $customerId and enrolment = $enrolment
       and network_token_ref = $tokenRef and status in (${BEFORE_ENDED})
     for no key update
   ), ${DELETE_RECORD_OF_CARD}, others as (
     select id, is_default, accepted_at from cards
     where merchant_id = $merchantId and customer_id = $customerId and status = 'active' and once_sessions is null and id <> $cardId
   ), changed as (
     update cards set status = 'deleted', vault_record_id = null, step_up_pending = false, is_default = false, deleted_at = $at,
       deletion_reason = coalesce(cards.ending_reason, $reason), ending_reason = null, once_sessions = null,
       network_token_deleted = $tokenDeleted, version = cards.version + 1, updated_at = $at,
       was_default = cards.once_sessions is null and (cards.is_default or not exists (
         select 1 from others
         where others.is_default or (others.accepted_at, others.id) > (cards.accepted_at, cards.id)))
     from ended
     where cards.merchant_id = $merchantId and cards.id = ended.id and cards.status in (${BEFORE_ENDED})
     returning cards.id, cards.was_default, cards.version, cards.deletion_reason
   ), promoted as (
     update cards set is_default = true, updated_at = $at
     where merchant_id = $merchantId and status = 'active' and once_sessions is null
       and id = (select id from others order by is_default desc, accepted_at desc, id desc limit 1)
       and exists (select 1 from changed where was_default)
     returning id
   )
   select was_default, version, deletion_reason as reason, (select id from promoted) as new_default_id from changed`,
  { wasDefault: bool, version: int, reason: oneOf(CARD_END_REASONS), newDefaultId: nullable(text) },
)

/** Cards that were begun and left: since the last word of their cardholder a day has passed. */
export const abandonedCards = overdueRows('cards', {
  table: 'cards',
  due: 'updated_at',
  // The second is always true: the indexes are narrowed by it, so that no plan looks for one card in them.
  where: `status = 'provisioning' and enrolment > 0`,
  afterSeconds: ABANDONED_AFTER_SECONDS,
})

/** One abandoned card, unless another worker has it or it was continued meanwhile. */
export const lockDueCard = one(
  'cards.lock_due',
  `select id, enrolment from cards
   where merchant_id = $merchantId and id = $cardId and status in (${BEFORE_DELETED}) and updated_at <= $before
   for update skip locked`,
  { id: text, enrolment: int },
)
