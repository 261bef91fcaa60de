import { bytes, columns, int, nullable, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { openWork } from '../jobs/fragments.ts'
import { type SealedRow, sealOver } from '../platform/row-seals.ts'

// Addresses of owners, and what is put into the outbox for them.

const ADDRESS = {
  email: text,
  verifiedAt: nullable(time),
  codeId: text,
  codeEndsAt: time,
  codeTries: int,
  seal: bytes,
}

interface OfOwner {
  merchantId: string
  customerId: string
}
type Proven = OfOwner & { email: string; verifiedAt: Date | null }
const addressOver = sealOver<Proven>('owner_addresses', ({ email, verifiedAt }) => [
  ...[email, verifiedAt?.getTime() ?? null],
])
/** What must not be edited of an owner's address: where it is, and that it was proven. */
export const sealedOwnerAddress = (address: Proven): SealedRow => addressOver({ ...address, id: address.customerId })

type Former = OfOwner & { email: string; endsAt: Date }
const formerOver = sealOver<Former>('former_addresses', ({ email, endsAt }) => [email, endsAt.getTime()])
/** What must not be edited of an address that was an owner's: where it is, and until when it is told. */
export const sealedFormer = (former: Former): SealedRow => formerOver({ ...former, id: former.customerId })

export const findAddress = one(
  'mail.find_address',
  `select ${columns(ADDRESS)} from owner_addresses where merchant_id = $merchantId and customer_id = $customerId`,
  ADDRESS,
)

/** The owner who has proven an address, however it is written. */
export const findOwnerOf = one(
  'mail.find_owner_of',
  `select customer_id, ${columns(ADDRESS)} from owner_addresses
   where merchant_id = $merchantId and lower(email) = lower($email) and verified_at is not null`,
  { customerId: text, ...ADDRESS },
)

const MAIL_ID = { id: text }

/** CTE `former`: what was proven and is not any more, as it was read, if `cte` has a row. */
const keepFormer = <const Cte extends string>(cte: Cte) =>
  `former as (
     insert into former_addresses (merchant_id, customer_id, address_hash, email, replaced_at, ends_at, seal)
     select $merchantId, customer_id, $formerHash::bytea, $formerEmail::text, $at::timestamptz, $formerEndsAt::timestamptz, $formerSeal::bytea
     from ${cte} where $formerEmail::text is not null
     on conflict (merchant_id, customer_id, address_hash) do update set
       email = excluded.email, replaced_at = excluded.replaced_at, ends_at = excluded.ends_at, seal = excluded.seal
     returning customer_id
   )` as const
/** CTE `notice`: the mail that says so there. */
const TELL_FORMER = `notice as (
     insert into mails (merchant_id, id, customer_id, address_hash, kind, facts, state, unsure, created_at, ends_at)
     select $merchantId, $formerMailId, customer_id, $formerHash::bytea, 'address_replaced', '{}'::jsonb, 'queued', 0,
       $at::timestamptz, $noticeEndsAt::timestamptz from former
     returning id
   )` as const

/**
 * Another address in place of the one that was read, or another code for it, and the mail with the code; and the one to
 * the former address. None: the last code is too young, this owner or this address had as many of late as may be, or it
 * is another address by now. Ids begin with the time.
 */
export const askForCode = one(
  'mail.ask_for_code',
  `with seen as materialized (
     select customer_id from owner_addresses
     where merchant_id = $merchantId and customer_id = $customerId and seal = $seenSeal::bytea
     for no key update
   ), asked as (
     insert into owner_addresses (merchant_id, customer_id, email, code_id, code_made_at, code_ends_at, code_tries, seal)
     select $merchantId, $customerId, $email, $codeId, $at::timestamptz, $codeEndsAt, 0, $seal
     where ($seenSeal is null or exists (select 1 from seen))
       and (select count(*) from (select 1 from mails where merchant_id = $merchantId and customer_id = $customerId
         and id > $since and kind = 'owner_code' limit $most) own) < $most
       and (select count(*) from (select 1 from mails where merchant_id = $merchantId and address_hash = $addressHash
         and id > $since and kind = 'owner_code' limit $most) there) < $most
     on conflict (merchant_id, customer_id) do update set email = excluded.email, verified_at = null, code_id = excluded.code_id,
       code_made_at = excluded.code_made_at, code_ends_at = excluded.code_ends_at, code_tries = 0, seal = excluded.seal
       where owner_addresses.code_made_at <= $madeBefore and owner_addresses.seal = $seenSeal
     returning customer_id
   ), ${keepFormer('asked')}, mail as (
     insert into mails (merchant_id, id, customer_id, address_hash, kind, facts, state, unsure, created_at, ends_at)
     select $merchantId, $id, customer_id, $addressHash, 'owner_code', $facts::jsonb, 'queued', 0, $at, $codeEndsAt from asked
     returning id
   ), ${TELL_FORMER}, queued as (
     select id from mail union all select id from notice
   )
   ${openWork('mail', 'queued', '$at')} returning id`,
  MAIL_ID,
)

/** The index that refuses a second owner of a proven address. */
export const ONE_OWNER_CONSTRAINT = 'owner_addresses_verified_key'

/**
 * A code that was typed, right or not. None: it is over, was typed too often, or is another one by now. An address that
 * is proven again is no former one any more.
 */
export const tryCode = one(
  'mail.try_code',
  `with tried as (
     update owner_addresses set code_tries = code_tries + 1, verified_at = case when $isRight::boolean then $at::timestamptz end,
       seal = case when $isRight then $verifiedSeal::bytea else seal end
     where merchant_id = $merchantId and customer_id = $customerId and code_id = $codeId and verified_at is null
       and code_tries < $most and code_ends_at > $at
     returning code_tries
   ), again as (
     delete from former_addresses
     where merchant_id = $merchantId and customer_id = $customerId and address_hash = $addressHash and $isRight
       and exists (select 1 from tried)
   )
   select code_tries from tried`,
  { codeTries: int },
)

/** The address that was read is removed, and told so if it was proven. None: it is another one by now. */
export const removeAddress = one(
  'mail.remove_address',
  `with removed as (
     delete from owner_addresses where merchant_id = $merchantId and customer_id = $customerId and seal = $seenSeal
     returning customer_id
   ), ${keepFormer('removed')}, ${TELL_FORMER}, telling as (
     ${openWork('mail', 'notice', '$at')}
   )
   select customer_id from removed`,
  { customerId: text },
)

/** All that an owner who is forgotten had. */
export const forgetAddresses = execute(
  'mail.forget_addresses',
  `with former as (
     delete from former_addresses where merchant_id = $merchantId and customer_id = $customerId
   )
   delete from owner_addresses where merchant_id = $merchantId and customer_id = $customerId`,
)

/** Those of an owner that are told still, the latest first. */
export const listFormer = many(
  'mail.list_former',
  `select email, ends_at, seal from former_addresses
   where merchant_id = $merchantId and customer_id = $customerId and ends_at > $at order by ends_at desc, address_hash`,
  { email: text, endsAt: time, seal: bytes },
)

/** A page of those that are told nothing any more. */
export const deleteFormer = execute(
  'mail.delete_former',
  `delete from former_addresses where merchant_id = $merchantId and ends_at <= $at and customer_id = any (array(
     select customer_id from former_addresses where merchant_id = $merchantId and ends_at <= $at order by ends_at limit $limit))`,
)

/**
 * Tells an owner of a question that stands in the transaction of the caller. None: there is none, they want no mails,
 * or had as many of late as may be: then it waits at the page all the same.
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
