import { columns, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { overdueRows } from '../jobs/overdue.ts'
import { originList } from '../platform/states.ts'
import { DELETE_RECORD_OF_CARD } from '../vault/fragments.ts'
import { CARD, usableBy } from './fragments.ts'
import { ABANDONED_AFTER_SECONDS } from './rules.ts'
import { CARD_TRANSITIONS } from './states.ts'

export type { Card } from './fragments.ts'

const BEFORE_DELETED = originList(CARD_TRANSITIONS, 'deleted')

/** A card of this customer, in any status. */
export const findCard = one(
  'cards.find',
  `select ${columns(CARD)} from cards
   where merchant_id = $merchantId and customer_id = $customerId and id = $cardId`,
  CARD,
)

export const findUsableCard = one(
  'cards.find_usable',
  `select ${columns(CARD)} from cards
   where merchant_id = $merchantId and customer_id = $customerId and id = $cardId
     and ${usableBy('$customerId', '$provenCardId::text')}`,
  CARD,
)

/**
 * Ends a card that the network did not accept, and destroys its number. The row is locked first: a pointer read before
 * another change could name a record that is in use. Undefined when it was accepted or ended before.
 */
export const updateDeleted = one(
  'cards.update_deleted',
  `with ended as (
     select id, vault_record_id from cards
     where merchant_id = $merchantId and id = $cardId and status in (${BEFORE_DELETED}) for update
   ), ${DELETE_RECORD_OF_CARD}
   update cards set status = 'deleted', vault_record_id = null, step_up_pending = false, updated_at = $at
   from ended
   where cards.merchant_id = $merchantId and cards.id = ended.id and cards.status in (${BEFORE_DELETED})
   returning cards.id`,
  { id: text },
)

/** Cards that were begun and left: since the last word of their cardholder a day has passed. */
export const abandonedCards = overdueRows('cards', {
  table: 'cards',
  due: 'updated_at',
  where: `status = 'provisioning'`,
  afterSeconds: ABANDONED_AFTER_SECONDS,
})

/** One abandoned card, unless another worker has it or it was continued meanwhile. */
export const lockDueCard = one(
  'cards.lock_due',
  `select id from cards
   where merchant_id = $merchantId and id = $cardId and status in (${BEFORE_DELETED}) and updated_at <= $before
   for update skip locked`,
  { id: text },
)
