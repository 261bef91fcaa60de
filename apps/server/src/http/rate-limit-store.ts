import { bigint, bool, int, nullable, text } from '../db/row.ts'
import { many, one } from '../db/statement.ts'
import { UNAWAITED } from '../db/unawaited.ts'

const COUNT = {
  key: text,
  points: int,
  /** Until the window ends. */
  leftMillis: bigint,
}

/**
 * The database's own time, in milliseconds since 1970, which no sandbox moves. The windows belong to all nodes: by a
 * clock of their own one that is ahead would begin each of them anew, and one that was set back would leave windows
 * that last for hours.
 */
const MOMENT = 'moment as materialized (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now)'

/**
 * A window that ends so much later than any can was begun before the database's clock was set back, and counts no more.
 */
export const BEYOND_ANY_MILLIS = 60_000
/** Whether the window that is there goes on. */
const GOES_ON = `rate_limits.expire > (select now from moment) and rate_limits.expire <= excluded.expire + ${BEYOND_ANY_MILLIS}`

/**
 * Takes points of several keys and reads how much is used of others, in one question. The count goes up also beyond a
 * limit, so that the caller sees how many of its points are good; a window that has ended begins anew. Keys are taken
 * in their order, or two nodes that take the same ones would wait in a circle. Not awaited: a crash of the database
 * forgets half a second of counting.
 */
export const takePoints = many(
  'limits.take_points',
  `with ${MOMENT}, taken as (
     insert into rate_limits (key, points, expire)
     select key, points, (select now from moment) + millis
     from unnest($keys::text[], $points::int[], $windows::bigint[]) asked (key, points, millis)
     where ${UNAWAITED}
     order by key
     on conflict (key) do update set
       points = case when ${GOES_ON} then rate_limits.points + excluded.points else excluded.points end,
       expire = case when ${GOES_ON} then rate_limits.expire else excluded.expire end
     returning key, points, expire
   )
   select key, points, expire - (select now from moment) as left_millis, true as was_taken from taken
   union all
   select key, points, expire - (select now from moment), false from rate_limits
   where key = any ($looked::text[]) and expire > (select now from moment)`,
  { ...COUNT, wasTaken: bool },
)

/** How much is used of these keys in windows that have not ended. */
export const listCounts = many(
  'limits.list_counts',
  `with ${MOMENT}
   select key, points, expire - (select now from moment) as left_millis from rate_limits
   where key = any ($keys::text[]) and expire > (select now from moment)`,
  COUNT,
)

/**
 * Looks at the next rows behind `$after`, and deletes those whose windows ended long ago: a page costs the same however
 * many rows there are. Those that are being counted are left: waiting for them could be waiting in a circle.
 */
export const deleteEnded = one(
  'limits.delete_ended',
  `with ${MOMENT}, page as materialized (
     select key from rate_limits where key > $after order by key limit $limit
   ), ended as materialized (
     select key from rate_limits
     where key = any (array(select key from page)) and expire < (select now from moment) - $keptMillis::bigint
     for update skip locked
   ), gone as (
     delete from rate_limits where key = any (array(select key from ended))
   )
   select max(key) as last_key, count(*)::int as looked_at from page`,
  { lastKey: nullable(text), lookedAt: int },
)
