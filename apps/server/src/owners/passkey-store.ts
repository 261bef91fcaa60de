import { bool, columns, nullable, text, time } from '../db/row.ts'
import { many, one } from '../db/statement.ts'
import {
  CLAIM_CHALLENGE,
  CLAIMED,
  CLAIMED_CHALLENGE,
  OWN_PASSKEY,
  ownPasskey,
  RETIRE_ONE,
} from '../passkeys/fragments.ts'

// The passkeys of an owner. Locks: passkeys in the order of their ids.

const LISTED = { id: text, createdAt: time, lastUsedAt: nullable(time), backedUp: bool }

/** Those that sign, and those that are flagged, the oldest first. */
export const listPasskeys = many(
  'owners.list_passkeys',
  `select ${columns(LISTED, 'passkeys')}, passkeys.flagged_at is not null as is_blocked,
     passkeys.user_handle is not null as is_of_shop, shown.name, shown.browser, shown.system
   from passkeys left join owner_passkeys shown on shown.merchant_id = $merchantId and shown.passkey_id = passkeys.id
   where passkeys.merchant_id = $merchantId and passkeys.customer_id = $customerId and passkeys.retired_at is null
   order by passkeys.created_at, passkeys.id`,
  { ...LISTED, isBlocked: bool, isOfShop: bool, name: nullable(text), browser: nullable(text), system: nullable(text) },
)

/** The owner's own word for a passkey. None: they have no such one. */
export const upsertName = one(
  'owners.name_passkey',
  `insert into owner_passkeys (merchant_id, passkey_id, customer_id, name)
   select $merchantId, id, $customerId, $name from passkeys
   where merchant_id = $merchantId and id = $passkeyId and customer_id = $customerId and retired_at is null
   on conflict (merchant_id, passkey_id) do update set name = excluded.name
   returning passkey_id`,
  { passkeyId: text },
)

/** Ends a passkey. None: it is the last one that signs, or has ended. */
export const retirePasskey = one('owners.end_passkey', RETIRE_ONE, { id: text })

const WITH_PASSKEY = { passkey: OWN_PASSKEY }

export const findPasskey = one('owners.find_passkey', `select (${ownPasskey('$customerId')}) as passkey`, WITH_PASSKEY)

/** The challenge that an answer uses up, and whose passkeys may answer. One row. */
export const claimChallenge = one(
  'owners.claim_challenge',
  `with ${CLAIM_CHALLENGE} select (${CLAIMED}) as claimed, (${ownPasskey('$customerId')}) as passkey`,
  { claimed: CLAIMED_CHALLENGE, ...WITH_PASSKEY },
)
