import { DELIVERY_STATES, EVENT_TYPES } from '@mintmark/contract'
import { EVENT_RESOURCES } from '@mintmark/contract/wire/events'
import { bigint, int, oneOf, type RowOf, text, time } from '../db/row.ts'
import { many } from '../db/statement.ts'

/** The newest events first. A page reads the end of the feed, whatever is before it. */
export const listEvents = many(
  'console.list_events',
  `select feed_pos, id, type, resource_type, resource_id, occurred_at from events
   where merchant_id = $merchantId and feed_pos < $before and day >= $fromDay::date
   order by feed_pos desc limit $limit`,
  {
    feedPos: bigint,
    id: text,
    type: oneOf(EVENT_TYPES),
    resourceType: oneOf(EVENT_RESOURCES),
    resourceId: text,
    occurredAt: time,
  },
)

const DELIVERY = {
  id: text,
  eventId: text,
  endpointId: text,
  state: oneOf(DELIVERY_STATES),
  attempts: int,
  createdAt: time,
}
export type SentRow = RowOf<typeof DELIVERY>

/** Where events went, the first delivery of each first. */
export const listSent = many(
  'console.list_sent',
  `select id, event_id, endpoint_id, state, attempts, created_at from webhook_deliveries
   where merchant_id = $merchantId and event_id = any ($eventIds::text[]) order by created_at, id limit $limit`,
  DELIVERY,
)
