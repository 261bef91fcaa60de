import { bigint, bool, bytes, columns, nullable, type RowOf, text, texts, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'

const PASSKEY = {
  id: text,
  publicKey: bytes,
  signCount: bigint,
  transports: texts,
  backupEligible: bool,
  flaggedAt: nullable(time),
}
export type Passkey = RowOf<typeof PASSKEY>

/** All of one customer, flagged ones included. */
export const listPasskeys = many(
  'passkeys.list',
  `select ${columns(PASSKEY)} from passkeys
   where merchant_id = $merchantId and customer_id = $customerId order by created_at, id`,
  PASSKEY,
)

/** Only the customer's own: a credential of any other customer is as unknown as one that does not exist. */
export const findPasskey = one(
  'passkeys.find',
  `select ${columns(PASSKEY)} from passkeys
   where merchant_id = $merchantId and customer_id = $customerId and id = $id`,
  PASSKEY,
)

/**
 * None when the customer has a passkey, flagged or not: a launch link must not be enough to add one and spend the saved
 * cards. Needs the customer's row locked in a statement before, or two inserts would each see no row.
 */
export const insertOnlyPasskey = one(
  'passkeys.insert_only',
  `insert into passkeys (merchant_id, id, customer_id, public_key, sign_count, transports, backup_eligible, backed_up,
     created_at)
   select $merchantId::text, $id::text, $customerId::text, $publicKey::bytea, $signCount::bigint, $transports::text[],
     $backupEligible::boolean, $backedUp::boolean, $at::timestamptz
   where not exists (select from passkeys where merchant_id = $merchantId and customer_id = $customerId)
   returning id`,
  { id: text },
)

/** The index that refuses a credential id this merchant already knows, of any customer. */
export const PASSKEY_ID_CONSTRAINT = 'passkeys_pkey'

/** The first time wins; a flag is never lifted here. */
export const updateFlagged = execute(
  'passkeys.update_flagged',
  `update passkeys set flagged_at = $at
   where merchant_id = $merchantId and customer_id = $customerId and id = $id and flagged_at is null`,
)
