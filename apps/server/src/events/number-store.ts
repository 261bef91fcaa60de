import { bigint, int, oneOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'

/** Why an event is parked: its body is above the limit, or there is one already about the same version of its resource. */
export const PARKED_REASONS = ['too_large', 'duplicate'] as const

/** The next `$limit` events without a number, by merchant: how many it has of them, and the oldest. Operator's statement. */
export const findWaiting = many(
  'events.find_waiting',
  `select merchant_id, count(*)::int as seen, min(id) as id from (
     select merchant_id, id from captured_events where parked is null and merchant_id > $after
     order by merchant_id, id limit $limit) next
   group by merchant_id order by merchant_id`,
  { merchantId: text, seen: int, id: text },
)

/**
 * The number of the newest event, locked. Its own statement: the next one then sees what was numbered before it got the lock.
 * None: there is no row yet, or another sequencer has it.
 */
export const lockHead = one(
  'events.lock_head',
  'select feed_pos from event_heads where merchant_id = $merchantId for update skip locked',
  { feedPos: bigint },
)

/** The first number of a merchant is 1. None: there is a row. */
export const insertHead = one(
  'events.insert_head',
  `insert into event_heads (merchant_id, feed_pos, epoch_start) values ($merchantId, 0, 0)
   on conflict on constraint event_heads_pkey do nothing returning feed_pos`,
  { feedPos: bigint },
)

/**
 * Numbers at most about `$limit` captured events, oldest first, and moves the head. Two events about one resource keep the order
 * of their versions, though the later one may have read the clock earlier: what is older comes along even when the limit would
 * leave it behind, and an event counts as captured no earlier than those before it.
 */
export const insertNumbered = one(
  'events.insert_numbered',
  `with first as materialized (
     select id, resource_type, resource_id, resource_version from captured_events
     where merchant_id = $merchantId and parked is null order by id limit $limit
   ), chosen as materialized (
     select id from first
     union
     select older.id from first cross join lateral (
       select id from captured_events
       where merchant_id = $merchantId and resource_type = first.resource_type and resource_id = first.resource_id
         and resource_version < first.resource_version and parked is null offset 0) older
   ), moved as (
     delete from captured_events
     where merchant_id = $merchantId and parked is null and id = any (array(select id from chosen))
     returning *
   ), timed as (
     select *, max(occurred_at) over (partition by resource_type, resource_id order by resource_version) as counted_at
     from moved
   ), numbered as (
     insert into events (merchant_id, feed_pos, occurred_at, day, resource_version, id, type, resource_type, resource_id,
       schema_version, environment, data)
     select $merchantId, $head::bigint + row_number() over (order by counted_at, resource_version, id), occurred_at,
       (occurred_at at time zone 'UTC')::date, resource_version, id, type, resource_type, resource_id, schema_version,
       environment, data
     from timed
     returning feed_pos
   )
   update event_heads set feed_pos = $head::bigint + (select count(*) from numbered)
   where merchant_id = $merchantId returning feed_pos`,
  { feedPos: bigint },
)

/** Parks events about a version of which there is one in the feed: a defect, which must not stop the others. */
export const parkDuplicates = execute(
  'events.park_duplicates',
  `update captured_events set parked = 'duplicate'
   where merchant_id = $merchantId and parked is null and id = any (array(
     select waiting.id from captured_events waiting cross join lateral (
       select 1 from events where merchant_id = $merchantId and resource_id = waiting.resource_id
         and resource_type = waiting.resource_type and resource_version = waiting.resource_version offset 0) known
     where waiting.merchant_id = $merchantId and waiting.parked is null))`,
)

/** What is parked, of all merchants. Operator's statement. */
export const listParked = many(
  'events.list_parked',
  `select merchant_id, id, type, resource_type, resource_id, resource_version, octet_length(data) as data_bytes, occurred_at,
     parked
   from captured_events where parked is not null order by merchant_id, occurred_at limit $limit`,
  {
    merchantId: text,
    id: text,
    type: text,
    resourceType: text,
    resourceId: text,
    resourceVersion: int,
    dataBytes: int,
    occurredAt: time,
    parked: oneOf(PARKED_REASONS),
  },
)

/** The next merchant with parked events of before `$before`. Operator's statement. */
export const findMerchantWithOldParked = one(
  'events.find_merchant_with_old_parked',
  `select merchant_id from captured_events
   where parked is not null and merchant_id > $after and occurred_at < $before order by merchant_id limit 1`,
  { merchantId: text },
)

/** Parked events of before `$before` are deleted like all others, one merchant at a time. */
export const deleteParked = execute(
  'events.delete_parked',
  `delete from captured_events where merchant_id = $merchantId and parked is not null and occurred_at < $before`,
)
