import { bigint, int, nullable } from '../db/row.ts'
import { many, one } from '../db/statement.ts'
import { EVENT, EVENT_LIST } from './fragments.ts'

/**
 * Where the feed of a merchant ends, the epoch, and between which positions the events of a time are. `before`: all of them have a
 * greater one than the newest event of before `$from`, or than what is gone. `last`: none has that of the oldest event since
 * `$after`, or a greater one. Some probes of indexes, whatever is kept.
 */
export const findBounds = one(
  'events.find_bounds',
  `select coalesce(head.feed_pos, 0) as head, coalesce(head.epoch_start, 0) as epoch_start, feed_epoch.epoch,
     feed_epoch.previous,
     coalesce(
       (select feed_pos from events where merchant_id = $merchantId and day <= $fromDay::date and occurred_at < $from
        order by occurred_at desc limit 1),
       (select feed_pos - 1 from events where merchant_id = $merchantId and feed_pos > 0 order by feed_pos limit 1)
     ) as before,
     (select feed_pos - 1 from events
      where merchant_id = $merchantId and day >= $afterDay::date and occurred_at > $after::timestamptz
      order by occurred_at limit 1) as last
   from feed_epoch left join event_heads head on head.merchant_id = $merchantId where feed_epoch.id`,
  {
    head: bigint,
    epochStart: bigint,
    epoch: bigint,
    previous: nullable(bigint),
    before: nullable(bigint),
    last: nullable(bigint),
  },
)

/** IS TRUE changes no result; it keeps the planner from the index over the time, which would read and sort all of that time. */
const CHOSEN = `(occurred_at >= $from) is true and (occurred_at <= $to) is true
     and ($types::text[] is null or type = any ($types))` as const

/** A page in the order of the feed. It looks at no more rows than there are positions from `$after` to `$upTo`. */
export const listPage = many(
  'events.list_page',
  `select feed_pos, ${EVENT_LIST} from events
   where merchant_id = $merchantId and day >= $fromDay::date and feed_pos > $after and feed_pos <= $upTo and ${CHOSEN}
   order by feed_pos limit $limit`,
  { feedPos: bigint, ...EVENT },
)

/** The events of one resource, in the order of its index. */
const OF_RESOURCE =
  `merchant_id = $merchantId and resource_id = $resourceId and day >= $fromDay::date and feed_pos > $after
     and feed_pos <= $upTo` as const

/** The same of one resource. Without a filter it looks at as many rows as it returns. */
export const listPageOfResource = many(
  'events.list_page_of_resource',
  `select feed_pos, ${EVENT_LIST} from events where ${OF_RESOURCE} and ${CHOSEN} order by feed_pos limit $limit`,
  { feedPos: bigint, ...EVENT },
)

/** How far the next `$most` events of a resource reach. Few of them may pass a filter. */
export const findReach = one(
  'events.find_reach',
  `select max(feed_pos) as position, count(*)::int as count
   from (select feed_pos from events where ${OF_RESOURCE} order by feed_pos limit $most) looked`,
  { position: nullable(bigint), count: int },
)

/** One event, by its id and the time in it. */
export const findEvent = one(
  'events.find',
  `select ${EVENT_LIST} from events
   where merchant_id = $merchantId and day = $day::date and occurred_at = $occurredAt and id = $eventId`,
  EVENT,
)
