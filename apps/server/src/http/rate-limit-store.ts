import { bigint, bool, int, text } from '../db/row.ts'
import { execute, many } from '../db/statement.ts'
import { UNAWAITED } from '../db/unawaited.ts'

const COUNT = {
  key: text,
  points: int,
  /** When the window ends, in milliseconds since 1970 by the node's clock. */
  expire: bigint,
}

/**
 * Takes points of several keys and reads how much is used of others, in one question. The count goes up also beyond a
 * limit, so that the caller sees how many of its points are good; a window that has ended begins anew. Keys are taken in
 * their order, or two nodes that take the same ones would wait in a circle. Not awaited: a crash of the database forgets half a
 * second of counting.
 */
export const takePoints = many(
  'limits.take_points',
  `with taken as (
     insert into rate_limits (key, points, expire)
     select key, points, expire from unnest($keys::text[], $points::int[], $ends::bigint[]) asked (key, points, expire)
     where ${UNAWAITED}
     order by key
     on conflict (key) do update set
       points = case when rate_limits.expire <= $now then excluded.points else rate_limits.points + excluded.points end,
       expire = case when rate_limits.expire <= $now then excluded.expire else rate_limits.expire end
     returning key, points, expire
   )
   select key, points, expire, true as was_taken from taken
   union all
   select key, points, expire, false from rate_limits where key = any ($looked::text[]) and expire > $now`,
  { ...COUNT, wasTaken: bool },
)

/** How much is used of these keys in windows that have not ended. */
export const listCounts = many(
  'limits.list_counts',
  'select key, points, expire from rate_limits where key = any ($keys::text[]) and expire > $now',
  COUNT,
)

/** Windows that ended long ago. Rows that are being counted are left: waiting for them could be waiting in a circle. */
export const deleteEnded = execute(
  'limits.delete_ended',
  `delete from rate_limits where key = any (array(
     select key from rate_limits where expire < $endedBefore order by key limit $limit for update skip locked))`,
)
