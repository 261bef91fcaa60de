import { bigint, bool, bytes, columns, nullable, type RowOf, text, texts, time, uuid } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { openRelease } from './fragments.ts'

const OPEN_RELEASE = openRelease('$customerId')

const PASSKEY = {
  id: text,
  publicKey: bytes,
  signCount: bigint,
  transports: texts,
  backupEligible: bool,
  seal: bytes,
  flaggedAt: nullable(time),
}
export type Passkey = RowOf<typeof PASSKEY>

/** Those of one customer that were not replaced, flagged ones included. */
export const listPasskeys = many(
  'passkeys.list',
  `select ${columns(PASSKEY)} from passkeys
   where merchant_id = $merchantId and customer_id = $customerId and retired_at is null order by created_at, id`,
  PASSKEY,
)

/** Only the customer's own: a credential of any other customer is as unknown as one that does not exist. */
export const findPasskey = one(
  'passkeys.find',
  `select ${columns(PASSKEY)} from passkeys
   where merchant_id = $merchantId and customer_id = $customerId and id = $id and retired_at is null`,
  PASSKEY,
)

/** What the customer has, and whether it may be replaced now. */
export const findStanding = one(
  'passkeys.find_standing',
  `select id, created_at as made_at, replaces is not null as replaced_another, exists (${OPEN_RELEASE}) as released
   from passkeys where merchant_id = $merchantId and customer_id = $customerId and retired_at is null
   order by created_at, id limit 1`,
  { id: text, madeAt: time, replacedAnother: bool, released: bool },
)

/**
 * None when the customer has a passkey, flagged or not, that may not be replaced: a launch link must not be enough to add
 * one and spend the saved cards. Replaced is what was released, by somebody who proved a card of it (`mayReplace`). Needs the
 * customer's row locked in a statement before, or two inserts would each see no row.
 */
export const insertOnlyPasskey = one(
  'passkeys.insert_only',
  `with old as (
     select id from passkeys where merchant_id = $merchantId and customer_id = $customerId and retired_at is null
   ), retired as (
     update passkeys set retired_at = $at
     where merchant_id = $merchantId and id = any(array(select id from old)) and $mayReplace::boolean
       and exists (${OPEN_RELEASE})
     returning id
   ), used as (
     update passkey_releases set used_at = $at
     where merchant_id = $merchantId and customer_id = $customerId and used_at is null and exists (select from retired)
   )
   insert into passkeys (merchant_id, id, customer_id, public_key, sign_count, transports, backup_eligible, backed_up,
     seal, replaces, created_at)
   select $merchantId::text, $id::text, $customerId::text, $publicKey::bytea, $signCount::bigint, $transports::text[],
     $backupEligible::boolean, $backedUp::boolean, $seal::bytea, (select max(id) from retired), $at::timestamptz
   where not exists (select from old) or exists (select from retired)
   returning id`,
  { id: text },
)

/** The index that refuses a credential id this merchant already knows, of any customer. */
export const PASSKEY_ID_CONSTRAINT = 'passkeys_pkey'

/** The first time wins. */
export const updateFlagged = execute(
  'passkeys.update_flagged',
  `update passkeys set flagged_at = $at
   where merchant_id = $merchantId and customer_id = $customerId and id = $id and flagged_at is null`,
)

/** An operator looked into it: the passkey may approve again. */
export const updateUnflagged = many(
  'passkeys.update_unflagged',
  `update passkeys set flagged_at = null
   where merchant_id = $merchantId and retired_at is null and flagged_at is not null and customer_id = (
     select id from customers where merchant_id = $merchantId and external_user_id = $userId)
   returning id, customer_id`,
  { id: text, customerId: text },
)

/** Allows a customer to replace a lost passkey. None: there is no passkey. */
export const insertRelease = one(
  'passkeys.insert_release',
  `insert into passkey_releases (merchant_id, id, customer_id, released_by, released_at, expires_at)
   select $merchantId::text, $id::uuid, $customerId::text, $releasedBy::text, $at::timestamptz, $expiresAt::timestamptz
   where exists (select from passkeys
     where merchant_id = $merchantId and customer_id = $customerId and retired_at is null)
   returning id`,
  { id: uuid },
)

/** A customer by the merchant's own name for them; none of a suspended merchant. */
export const findCustomer = one(
  'passkeys.find_customer',
  `select id from customers where merchant_id = $merchantId and external_user_id = $userId
     and exists (select from merchants where merchants.id = $merchantId and merchants.status = 'active')`,
  { id: text },
)
