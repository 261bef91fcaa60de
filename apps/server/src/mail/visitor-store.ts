import { bool, bytes, columns, int, nullable, text, time } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { openWork } from '../jobs/fragments.ts'
import { sealOver } from '../platform/row-seals.ts'

// Visits in which a person proves an address. Locks: asks, visit.

/** What must not be edited of a visit: that its address was proven, and which one. */
export const sealedVisit = sealOver<{ email: string; provenAt: Date }>('address_visits', ({ email, provenAt }) => [
  ...[email, provenAt.getTime()],
])

/**
 * A visit for an address, and the mail with its code. None: the address was mailed as many codes since `$since` as may
 * be. Counted in the row that all who name it write: of callers at the same moment no more are mailed.
 */
export const insertVisit = one(
  'mail.insert_visit',
  `with asked as (
     insert into address_asks (merchant_id, address_hash, since, asked)
     values ($merchantId, $addressHash, $at::timestamptz, 1)
     on conflict (merchant_id, address_hash) do update set
       since = case when address_asks.since <= $since then excluded.since else address_asks.since end,
       asked = case when address_asks.since <= $since then 1 else address_asks.asked + 1 end
       where address_asks.since <= $since or address_asks.asked < $most
     returning address_hash
   ), visit as (
     insert into address_visits (merchant_id, id, address_hash, email, tries, code_ends_at, ends_at)
     select $merchantId, $visit, $addressHash, $email, 0, $codeEndsAt::timestamptz, $endsAt::timestamptz from asked
     returning id
   ), mail as (
     insert into mails (merchant_id, id, address_hash, kind, facts, state, unsure, created_at, ends_at)
     select $merchantId, $id, $addressHash, 'visit_code', $facts::jsonb, 'queued', 0, $at, $codeEndsAt from visit
     returning id
   )
   ${openWork('mail', 'mail', '$at')} returning id`,
  { id: text },
)

const VISIT = {
  email: text,
  addressHash: bytes,
  tries: int,
  endsAt: time,
  provenAt: nullable(time),
  usedAt: nullable(time),
  seal: nullable(bytes),
}

export const findVisit = one(
  'mail.find_visit',
  `select ${columns(VISIT)} from address_visits where merchant_id = $merchantId and id = $visit`,
  VISIT,
)

/**
 * A code that was typed, right or not. The counter moves in the statement that looks at it: of any number of tries at
 * the same moment five count. None: the code is over.
 */
export const tryVisit = one(
  'mail.try_visit',
  `update address_visits set tries = tries + 1, proven_at = case when $isRight::boolean then $at::timestamptz end,
     seal = case when $isRight then $visitSeal::bytea end
   where merchant_id = $merchantId and id = $visit and proven_at is null and tries < $most and code_ends_at > $at
   returning exists (
     select 1 from owner_addresses where owner_addresses.merchant_id = $merchantId
       and lower(owner_addresses.email) = lower($email) and owner_addresses.verified_at is not null) as is_known`,
  { isKnown: bool },
)

/** A page of visits that are over, and of counts that say nothing any more. */
export const deleteOverVisits = execute(
  'mail.delete_visits',
  `with counted as (
     delete from address_asks where merchant_id = $merchantId and address_hash = any (array(
       select address_hash from address_asks where merchant_id = $merchantId and since <= $since order by since limit $limit))
   )
   delete from address_visits where merchant_id = $merchantId and id = any (array(
     select id from address_visits where merchant_id = $merchantId and ends_at <= $at order by ends_at limit $limit))`,
)
