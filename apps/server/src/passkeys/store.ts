import { bytes, columns, nullable, text } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { repeatAfter } from '../db/transaction.ts'
import { CLAIM_CHALLENGE, CLAIMED, CLAIMED_CHALLENGE, OWN_PASSKEY, ownPasskey, STORED } from './fragments.ts'

/** The index that refuses a credential id this merchant already knows, of any customer. */
export const PASSKEY_ID_CONSTRAINT = 'passkeys_pkey'
/** The index that refuses a second live passkey of a customer. */
export const ONE_PASSKEY_CONSTRAINT = 'passkeys_live_customer_key'
// When one passkey is registered twice at the same moment, in two tabs, the first index that refuses is that of the id.
// Run again, the statement sees that the passkey is its own customer's; one of another customer is refused again.
repeatAfter(PASSKEY_ID_CONSTRAINT)

/** The challenge that an answer uses up, and whose passkey it is. One row. */
export const claimVisit = one(
  'passkeys.claim_visit',
  `with ${CLAIM_CHALLENGE}, holder as (
     select customer_id from passkeys where merchant_id = $merchantId and id = $passkeyId and retired_at is null
   )
   select (${CLAIMED}) as claimed, (${ownPasskey('(select customer_id from holder)')}) as passkey,
     (select customer_id from holder) as customer_id`,
  { claimed: CLAIMED_CHALLENGE, passkey: OWN_PASSKEY, customerId: nullable(text) },
)

/** The live passkeys of this id, of all merchants: a person who brings one names none. Operator's statement. */
export const findAnywhere = many(
  'passkeys.find_anywhere',
  `select merchant_id, customer_id, ${columns(STORED)} from passkeys where id = $passkeyId and retired_at is null`,
  { merchantId: text, customerId: text, ...STORED },
)

/** What the browser says of a passkey that was made for another customer. None: it was made for this one. */
export const findUserHandle = one(
  'passkeys.find_user_handle',
  `select user_handle from passkeys
   where merchant_id = $merchantId and customer_id = $customerId and id = $passkeyId and user_handle is not null`,
  { userHandle: bytes },
)

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
