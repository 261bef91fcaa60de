import { bytes, columns, int, nullable, text, time } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { openWork } from '../jobs/fragments.ts'

// Addresses of owners, and what is put into the outbox for them.

const ADDRESS = {
  email: text,
  verifiedAt: nullable(time),
  codeId: text,
  codeEndsAt: time,
  codeTries: int,
  seal: bytes,
}

export const findAddress = one(
  'mail.find_address',
  `select ${columns(ADDRESS)} from owner_addresses where merchant_id = $merchantId and customer_id = $customerId`,
  ADDRESS,
)

const MAIL_ID = { id: text }

/**
 * Another address in place of the last one, or another code for it, and the mail with the code. None: this owner or this address had a code
 * less than a minute ago, or as many of late as may be. Ids begin with the time. A turn is a row of the owner and one of the address, which
 * the next minute's turn takes over: however many callers ask at once, and whatever of the owner was deleted meanwhile, one has both.
 */
export const askForCode = one(
  'mail.ask_for_code',
  `with past as (
     delete from mail_turns where merchant_id = $merchantId and key in (
       select key from mail_turns
       where merchant_id = $merchantId and taken_at <= $takenBefore and key <> all($turns::text[])
       order by taken_at limit 8 for update skip locked)
   ), turns as (
     insert into mail_turns (merchant_id, key, taken_at)
     select $merchantId, key, $at::timestamptz from unnest($turns) key
     where not exists (
       select 1 from mail_turns where merchant_id = $merchantId and key = any($turns) and taken_at > $takenBefore)
     order by key
     on conflict (merchant_id, key) do update set taken_at = excluded.taken_at where mail_turns.taken_at <= $takenBefore
     returning key
   ), asked as (
     insert into owner_addresses (merchant_id, customer_id, email, code_id, code_made_at, code_ends_at, code_tries, seal)
     select $merchantId, $customerId, $email, $codeId, $at, $codeEndsAt, 0, $seal
     where (select count(*) from turns) = cardinality($turns)
       and (select count(*) from (select 1 from mails where merchant_id = $merchantId and customer_id = $customerId
         and id > $since and kind = 'owner_code' limit $most) own) < $most
       and (select count(*) from (select 1 from mails where merchant_id = $merchantId and address_hash = $addressHash
         and id > $since limit $most) there) < $most
     on conflict (merchant_id, customer_id) do update set email = excluded.email, verified_at = null, code_id = excluded.code_id,
       code_made_at = excluded.code_made_at, code_ends_at = excluded.code_ends_at, code_tries = 0, seal = excluded.seal
     returning customer_id
   ), mail as (
     insert into mails (merchant_id, id, customer_id, address_hash, kind, facts, state, unsure, created_at, ends_at)
     select $merchantId, $id, customer_id, $addressHash, 'owner_code', $facts::jsonb, 'queued', 0, $at, $codeEndsAt from asked
     returning id
   )
   ${openWork('mail', 'mail', '$at')} returning id`,
  MAIL_ID,
)

/** A code that was typed, right or not. None: it is over, was typed too often, or is another one by now. */
export const tryCode = one(
  'mail.try_code',
  `update owner_addresses set code_tries = code_tries + 1, verified_at = case when $isRight::boolean then $at::timestamptz end,
     seal = case when $isRight then $verifiedSeal::bytea else seal end
   where merchant_id = $merchantId and customer_id = $customerId and code_id = $codeId and verified_at is null
     and code_tries < $most and code_ends_at > $at
   returning code_tries`,
  { codeTries: int },
)

export const deleteAddress = execute(
  'mail.delete_address',
  'delete from owner_addresses where merchant_id = $merchantId and customer_id = $customerId',
)

/**
 * Tells an owner of a question that stands in the transaction of the caller. None: there is none, they want no mails, or had as many of late
 * as may be: then it waits at the page all the same.
 */
export const insertAsked = one(
  'mail.insert_asked',
  `with told as (
     select owner_addresses.customer_id, agents.name from owner_addresses
     join agents on agents.merchant_id = $merchantId and agents.id = $agentId
     where owner_addresses.merchant_id = $merchantId and owner_addresses.customer_id = $customerId and verified_at is not null
       and exists (select 1 from escalations where merchant_id = $merchantId and id = $escalationId)
       and (select count(*) from (select 1 from mails where merchant_id = $merchantId and customer_id = $customerId
         and id > $since and kind = 'owner_asked' limit $most) recent) < $most
   ), mail as (
     insert into mails (merchant_id, id, customer_id, escalation_id, kind, facts, state, unsure, created_at, ends_at)
     select $merchantId, $id, customer_id, $escalationId, 'owner_asked', $facts::jsonb || jsonb_build_object('agent', name),
       'queued', 0, $at::timestamptz, $endsAt from told
     on conflict (merchant_id, escalation_id) where escalation_id is not null do nothing
     returning id
   )
   ${openWork('mail', 'mail', '$at')} returning id`,
  MAIL_ID,
)
