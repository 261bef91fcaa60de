import { text } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { repeatAfter } from '../db/transaction.ts'

/** The index that refuses a credential id this merchant already knows, of any customer. */
export const PASSKEY_ID_CONSTRAINT = 'passkeys_pkey'
/** The index that refuses a second live passkey of a customer. */
export const ONE_PASSKEY_CONSTRAINT = 'passkeys_live_customer_key'
// When one passkey is registered in two tabs at the same moment, the first index that refuses is that of the id. Run again, the
// statement sees that the passkey is its own customer's; one of another customer is refused again.
repeatAfter(PASSKEY_ID_CONSTRAINT)

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

/** Allows a customer to replace a lost passkey. */
export const insertRelease = execute(
  'passkeys.insert_release',
  `insert into passkey_releases (merchant_id, id, customer_id, released_by, released_at, expires_at)
   values ($merchantId, $id, $customerId, $releasedBy, $at, $expiresAt)`,
)

/** A customer by the merchant's own name for them; none of a suspended merchant. */
export const findCustomer = one(
  'passkeys.find_customer',
  `select id from customers where merchant_id = $merchantId and external_user_id = $userId
     and exists (select 1 from merchants where merchants.id = $merchantId and merchants.status = 'active')`,
  { id: text },
)
