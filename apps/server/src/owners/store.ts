import { insertNamed } from '../customers/fragments.ts'
import { bytes, columns, nullable, object, text, time } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import {
  CLAIM_CHALLENGE,
  CLAIMED,
  CLAIMED_CHALLENGE,
  COUNT_SIGNATURE,
  ownPasskey,
  PASSKEY,
  STORE_PASSKEY,
} from '../passkeys/fragments.ts'

/** The challenge that an answer uses up, and whose passkey it is. One row. */
export const claimVisit = one(
  'owners.claim_visit',
  `with ${CLAIM_CHALLENGE}, holder as (
     select customer_id from passkeys where merchant_id = $merchantId and id = $passkeyId and retired_at is null
   )
   select (${CLAIMED}) as claimed, (${ownPasskey('(select customer_id from holder)')}) as passkey,
     (select customer_id from holder) as customer_id`,
  { claimed: CLAIMED_CHALLENGE, passkey: nullable(object(PASSKEY)), customerId: nullable(text) },
)

/** CTE `begun`: a session of the passkey, if `condition` holds. */
const begin = <const From extends string>(from: From) =>
  `begun as (
     insert into owner_sessions (merchant_id, digest, customer_id, passkey_id, created_at, expires_at, seal)
     select $merchantId, $digest, $customerId, $passkeyId, $at, $expiresAt, $sessionSeal::bytea from ${from}
     returning digest
   )` as const

/** A person who comes for the first time: the customer, their passkey and a session, all or nothing. */
export const insertOwner = one(
  'owners.insert',
  `with made as (
     ${insertNamed('$customerId', "'owner:' || $customerId")}
     returning id
   ), admitted as (
     select false as may_replace from made
   ), ${STORE_PASSKEY}, named as (
     insert into owners (merchant_id, customer_id, name, created_at, updated_at)
     select $merchantId, $customerId, $name, $at, $at from stored
   ), ${begin('stored')}
   select replaces from stored`,
  { replaces: nullable(text) },
)

/** For an owner who comes back, by a signature that was verified. None: another use of the same counter came first. */
export const insertSession = one(
  'owners.begin_session',
  `with ${COUNT_SIGNATURE}, ${begin('counted')}
   select digest from begun`,
  { digest: bytes },
)

const SESSION = { digest: bytes, customerId: text, passkeyId: text, expiresAt: time, seal: bytes }

/** A session, as long as the passkey that began it is good. */
export const findSession = one(
  'owners.find_session',
  `select ${columns(SESSION, 'owner_sessions')} from owner_sessions
   join passkeys on passkeys.merchant_id = $merchantId and passkeys.id = owner_sessions.passkey_id
     and passkeys.retired_at is null and passkeys.flagged_at is null
   where owner_sessions.merchant_id = $merchantId and owner_sessions.digest = $digest`,
  SESSION,
)

export const deleteSession = execute(
  'owners.end_session',
  'delete from owner_sessions where merchant_id = $merchantId and digest = $digest',
)

/** Those that are over. */
export const deleteOver = execute(
  'owners.delete_sessions',
  `delete from owner_sessions where merchant_id = $merchantId and digest = any (array(
     select digest from owner_sessions where merchant_id = $merchantId and expires_at <= $at order by expires_at limit $limit))`,
)

export const findOwner = one(
  'owners.find',
  'select name from owners where merchant_id = $merchantId and customer_id = $customerId',
  { name: text },
)

/** What an owner is called, and their sessions. */
export const deleteOwner = execute(
  'owners.delete',
  `with signed_out as (
     delete from owner_sessions where merchant_id = $merchantId and customer_id = $customerId
   )
   delete from owners where merchant_id = $merchantId and customer_id = $customerId`,
)
