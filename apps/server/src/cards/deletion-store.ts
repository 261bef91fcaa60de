import { CARD_STATUSES } from '@mintmark/contract'
import { bigint, bytes, columns, int, nullable, oneOf, type RowOf, text, time, uuid } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { closeWork, closeWorkOf, giveBackWork, HELD_ANEW, IS_HELD, insertWork, putOffWork } from '../jobs/fragments.ts'
import { dueWork } from '../jobs/work.ts'
import { originList } from '../platform/states.ts'
import { CARD, closeDeletion, HAS_DEFAULT } from './fragments.ts'
import { CARD_TRANSITIONS } from './states.ts'

// The work to delete a card. It is there from the decision to the end, and for a card that is not kept from its entry on. Locks:
// card, mandates, open work.

export const DELETION_JOB = 'cards.delete'
export const deletions = dueWork('deletions', 'deletion', {
  job: DELETION_JOB,
  shape: { dueAt: time },
  list: 'work.due_at',
})

const CLAIM = { merchantId: text, id: text, leaseFence: bigint, attempts: int }
/** A deletion that the caller has begun. */
export type Begun = RowOf<typeof CLAIM>

/**
 * A deletion begins, held by the caller; the last of several callers holds it, and the reason is the first one's. None: the card
 * is not active with that token any more.
 */
export const insertDeletion = one(
  'cards.insert_deletion',
  `with ending as (
     update cards set ending_reason = coalesce(ending_reason, $reason)
     where merchant_id = $merchantId and id = $cardId and enrolment = $enrolment and network_token_ref = $tokenRef
       and status in (${originList(CARD_TRANSITIONS, 'deleted', ['active'])})
     returning id
   )
   ${insertWork('deletion', 'ending.id', '$at', '1', '$leaseUntil')} from ending
   ${HELD_ANEW}
   returning ${columns(CLAIM)}`,
  CLAIM,
)

/** A deletion that came to nothing: the card is as it was. None: another caller, or a worker, goes on with it. */
export const updateWithdrawn = one(
  'cards.update_withdrawn',
  `with card as materialized (
     select id from cards
     where merchant_id = $merchantId and id = $cardId and ending_reason is not null
     for no key update
   ), freed as (
     ${giveBackWork('deletion', '$cardId', '$at')} and ${IS_HELD} and exists (select 1 from card)
     returning id
   )
   update cards set ending_reason = null
   where merchant_id = $merchantId and id = (select id from freed)
   returning id`,
  { id: text },
)

const ONCE = {
  merchantId: text,
  id: text,
  customerId: text,
  vaultRecordId: nullable(uuid),
  last4: text,
  brand: nullable(text),
  expMonth: int,
  expYear: int,
  enrolment: int,
  status: oneOf(CARD_STATUSES),
  networkTokenRef: nullable(text),
  seal: nullable(bytes),
  updatedAt: time,
}
export type OnceCard = RowOf<typeof ONCE>

/** A live card that is not kept and whose deletion has not begun, locked. */
export const lockOnce = one(
  'cards.lock_once',
  `select ${columns(ONCE)} from cards
   where merchant_id = $merchantId and id = $cardId and once_sessions is not null and ending_reason is null
   for no key update`,
  ONCE,
)

/** Its deletion begins. An entry of it from now on finishes that first. */
export const updateEnding = execute(
  'cards.update_ending',
  `update cards set ending_reason = $reason
   where merchant_id = $merchantId and id = $cardId and status = 'active' and ending_reason is null`,
)

/** A card whose deletion has begun. */
export const findEnding = one(
  'cards.find_ending',
  `select ${columns(CARD)} from cards
   where merchant_id = $merchantId and id = $cardId and ending_reason is not null`,
  CARD,
)

/** Looked at again later; now, if its session has ended since the work was claimed. */
export const updatePutOff = execute(
  'cards.update_put_off',
  `${putOffWork('deletion', '$cardId', 'case when due_at = $dueAt then $until else due_at end')} and ${IS_HELD}`,
)

/** Nothing is left to do: the card has ended, or is kept. An entry since then raised the fence. */
export const finishDeletion = deletions.finish

/** The card is deleted, and so is the work: last, because what ends a payment takes its mandate before this row. */
export const deleteWork = execute('cards.delete_work', closeWorkOf('deletion', '$cardId'))

/**
 * A card is kept since the statements before this one: nothing is left to do about its deletion. Locked, so that none has begun: that
 * takes the work over.
 */
export const deleteWorkOfKept = execute(
  'cards.delete_work_of_kept',
  `with card as materialized (
     select id from cards
     where merchant_id = $merchantId and id = $cardId and status = 'active' and once_sessions is null and ending_reason is null
     for no key update
   ) ${closeWork('deletion', 'card')}`,
)

/** An active card is kept, unless its deletion has begun. */
export const updateKept = one(
  'cards.update_kept',
  `with changed as (
     update cards set once_sessions = null, updated_at = $at, is_default = cards.is_default or not ${HAS_DEFAULT}
     where merchant_id = $merchantId and id = $cardId and enrolment = $enrolment and status = 'active' and ending_reason is null
     returning id, once_sessions
   ), ${closeDeletion('changed')}
   select id from changed`,
  { id: text },
)
