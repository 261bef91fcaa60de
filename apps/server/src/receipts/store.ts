import { int, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { ACT_KINDS } from './fragments.ts'

const ACT = {
  id: text,
  kind: oneOf(ACT_KINDS),
  subjectId: text,
  customerId: nullable(text),
  occurredAt: time,
  eventType: nullable(text),
  resourceId: nullable(text),
  data: nullable(text),
  attempts: int,
}
/** An act that waits for its receipt. */
export type Act = RowOf<typeof ACT>

/** Notes the events of some positions of the feed that a receipt is of. */
export const insertEventActs = many(
  'receipts.insert_event_acts',
  `insert into receipt_acts (merchant_id, id, kind, subject_id, occurred_at, event_type, resource_id, data, next_at)
   select $merchantId, 'event:' || id, 'event', id, occurred_at, type, resource_id, data, occurred_at from events
   where merchant_id = $merchantId and feed_pos > $after and feed_pos <= $upTo and type = any ($types::text[])
   on conflict on constraint receipt_acts_pkey do nothing
   returning id`,
  { id: text },
)

/** Acts without a receipt, in the order in which they happened. */
export const listActs = many(
  'receipts.list_acts',
  `select id, kind, subject_id, customer_id, occurred_at, event_type, resource_id, data, attempts from receipt_acts
   where merchant_id = $merchantId and next_at <= $at order by next_at, id limit $limit`,
  ACT,
)

/** The acts of one owner are taken by one writer: the others wait for its locks, and find less than they asked for. */
export const deleteActs = many(
  'receipts.delete_acts',
  `delete from receipt_acts
   where merchant_id = $merchantId and id = any ($ids::text[])
   returning id`,
  { id: text },
)

/** What could not be written is tried again later, and holds up nothing else. */
export const postponeActs = execute(
  'receipts.postpone_acts',
  `update receipt_acts set next_at = $nextAt, attempts = attempts + 1
   where merchant_id = $merchantId and id = any ($ids::text[])`,
)

/** Locks a customer who was not forgotten against that. None: there is no such customer any more. */
export const lockCustomer = one(
  'receipts.lock_customer',
  `select id from customers where merchant_id = $merchantId and id = $customerId and external_user_id <> 'erased:' || id for share`,
  { id: text },
)

/** The newest receipt of an owner. None: the chain has not begun. */
export const findHead = one(
  'receipts.find_head',
  `select position, hash from receipts
   where merchant_id = $merchantId and customer_id = $customerId order by position desc limit 1`,
  { position: int, hash: text },
)

/**
 * Goes on with a chain, if its newest receipt is the one that was read. The key refuses a position that is taken, so of
 * any number of writers one goes on, no chain forks, and none has a gap.
 */
export const insertReceipts = many(
  'receipts.insert',
  `insert into receipts (merchant_id, customer_id, position, id, cause_kind, cause_id, act, hash, jws, occurred_at, written_at)
   select $merchantId, $customerId, position, id, cause_kind, cause_id, act, hash, jws, occurred_at, $at
   from unnest($positions::integer[], $ids::text[], $causeKinds::text[], $causeIds::text[], $acts::text[], $hashes::text[],
     $texts::text[], $times::timestamptz[])
     as made (position, id, cause_kind, cause_id, act, hash, jws, occurred_at)
   where $headPosition::integer = 0 or exists (
     select 1 from receipts
     where merchant_id = $merchantId and customer_id = $customerId and position = $headPosition and hash = $headHash)
   returning position`,
  { position: int },
)

/** Receipts that these causes have. */
export const listByCause = many(
  'receipts.list_by_cause',
  `select cause_id, customer_id, id, hash from receipts
   where merchant_id = $merchantId and cause_kind = $causeKind and cause_id = any ($causeIds::text[])`,
  { causeId: text, customerId: text, id: text, hash: text },
)

const READ = {
  position: int,
  id: text,
  causeKind: text,
  causeId: text,
  act: text,
  hash: text,
  jws: text,
  occurredAt: time,
}

/** An owner's receipts behind a position. */
export const listReceipts = many(
  'receipts.list',
  `select position, id, cause_kind, cause_id, act, hash, jws, occurred_at from receipts
   where merchant_id = $merchantId and customer_id = $customerId and position > $after order by position limit $limit`,
  READ,
)

/** Those before a position, the newest first. */
export const listNewest = many(
  'receipts.list_newest',
  `select position, id, cause_kind, cause_id, act, hash, jws, occurred_at from receipts
   where merchant_id = $merchantId and customer_id = $customerId and position < $before order by position desc limit $limit`,
  READ,
)

/** One of an owner's. */
export const findReceipt = one(
  'receipts.find',
  `select position, id, cause_kind, cause_id, act, hash, jws, occurred_at from receipts
   where merchant_id = $merchantId and customer_id = $customerId and id = $id`,
  READ,
)

export const deleteReceiptsOfOwner = execute(
  'receipts.delete_of_owner',
  'delete from receipts where merchant_id = $merchantId and customer_id = $customerId',
)
