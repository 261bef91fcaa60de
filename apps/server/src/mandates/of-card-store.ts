import { MANDATE_STATUSES } from '@mintmark/contract'
import { columns, int, nullable, oneOf, text } from '../db/row.ts'
import { execute, many } from '../db/statement.ts'
import { dueWorksAt, openWork } from '../jobs/fragments.ts'
import { originList } from '../platform/states.ts'
import { SETUP_FACTS } from './setup-fragments.ts'
import { MANDATE_TRANSITIONS } from './states.ts'

const BEFORE_CANCELLED = originList(MANDATE_TRANSITIONS, 'cancelled')

/** The mandate of an ordinary checkout has neither session nor order of its own. */
const OF_CARD = {
  ...SETUP_FACTS,
  status: oneOf(MANDATE_STATUSES),
  version: int,
  sessionId: nullable(text),
  orderId: nullable(text),
}

/**
 * The mandates that a card pays and that have not ended, locked. Those whose time is over end by it, unless the network is still being
 * asked: the card may be enrolled anew by the time that it is asked again.
 */
export const lockOfCard = many(
  'mandates.lock_of_card',
  `select ${columns(OF_CARD)} from mandates
   where merchant_id = $merchantId and customer_id = $customerId and card_id = $cardId
     and (valid_until > $at or status = 'pending')
     and status in (${BEFORE_CANCELLED})
   order by id for no key update`,
  OF_CARD,
)

/** Those that were cancelled before, and of which the network was not told, because what they had minted lived on: they are looked at now. */
export const updateWaitingWithCard = execute(
  'mandates.update_waiting_with_card',
  `${dueWorksAt(
    'mandate',
    `array(
     select id from mandates
     where merchant_id = $merchantId and customer_id = $customerId and card_id = $cardId and status = 'cancelled' and valid_until > $at)`,
    '$at',
  )} and due_at > $at`,
)

/** They end, and the work begins to tell the network; a holder that asked it to register one loses the lease. */
export const updateCancelledWithCard = many(
  'mandates.update_cancelled_with_card',
  `with changed as (
     update mandates set status = 'cancelled', ended_at = $at, updated_at = $at, version = version + 1,
       failure_code = case when activated_at is null and not per_checkout then $failure::text end
     where merchant_id = $merchantId and id = any($ids) and status in (${BEFORE_CANCELLED})
     returning id
   )
   ${openWork('mandate', 'changed', '$at')}
   returning id`,
  { id: text },
)
