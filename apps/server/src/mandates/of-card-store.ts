import { MANDATE_STATUSES } from '@mintmark/contract'
import { columns, int, oneOf, text } from '../db/row.ts'
import { many } from '../db/statement.ts'
import { openWork } from '../jobs/fragments.ts'
import { originList } from '../platform/states.ts'
import { SETUP_FACTS } from './setup-fragments.ts'
import { MANDATE_TRANSITIONS } from './states.ts'

const BEFORE_CANCELLED = originList(MANDATE_TRANSITIONS, 'cancelled')

const OF_CARD = { ...SETUP_FACTS, status: oneOf(MANDATE_STATUSES), version: int }

/**
 * The standing mandates that a card pays and that have not ended, locked. Those whose time is over end by it, unless
 * the network is still being asked: the card may be enrolled anew by the time that it is asked again.
 */
export const lockOfCard = many(
  'mandates.lock_of_card',
  `select ${columns(OF_CARD)} from mandates
   where merchant_id = $merchantId and customer_id = $customerId and card_id = $cardId and approval_hash is not null
     and (valid_until > $at or status = 'pending')
     and status in (${BEFORE_CANCELLED})
   order by id for no key update`,
  OF_CARD,
)

/** They end, and the work begins to tell the network; who asked it to register one loses the lease. */
export const updateCancelledWithCard = many(
  'mandates.update_cancelled_with_card',
  `with changed as (
     update mandates set status = 'cancelled', ended_at = $at, updated_at = $at, version = version + 1,
       failure_code = case when activated_at is null then $failure::text end
     where merchant_id = $merchantId and id = any($ids) and status in (${BEFORE_CANCELLED})
     returning id
   )
   ${openWork('mandate', 'changed', '$at')}
   returning id`,
  { id: text },
)
