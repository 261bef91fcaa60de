import { one } from '../../db/statement.ts'
import { EVENT, EVENT_LIST } from '../../events/fragments.ts'

export const findEvent = one(
  'webhooks.find_event',
  `select ${EVENT_LIST} from events
   where merchant_id = $merchantId and occurred_at = $at and id = $eventId and day = $day`,
  EVENT,
)
