import { insertNamedIf } from '../customers/fragments.ts'
import { bytes, columns, nullable, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { provenAddressOf, USE_VISIT } from '../mail/fragments.ts'
import { lockSigning, STORE_PASSKEY, storeShared, USE_PASSKEY } from '../passkeys/fragments.ts'

/** CTEs: a session of the passkey, in place of the one that the browser had, if `from` has a row. */
export const openSession = <const From extends string>(from: From) =>
  `former as (
     delete from owner_sessions
     where merchant_id = $merchantId and digest = $formerDigest::bytea and exists (select 1 from ${from})
   ), begun as (
     insert into owner_sessions (merchant_id, id, digest, customer_id, passkey_id, browser, system, place, created_at, used_at,
       idle_at, expires_at, seal)
     select $merchantId, $sessionId::text, $digest, $customerId, $passkeyId, $browser::text, $system::text, $place::text,
       $at, $at, $idleAt::timestamptz, $expiresAt, $sessionSeal::bytea
     from ${from}
     returning digest
   )` as const

/** CTEs: an owner with the address that they have proven and a session, if a passkey was stored. */
const OWNER_OF_STORED = `named as (
     insert into owners (merchant_id, customer_id, name, created_at, updated_at)
     select $merchantId, $customerId, $name, $at, $at from stored
   ), shown as (
     insert into owner_passkeys (merchant_id, passkey_id, customer_id, browser, system)
     select $merchantId, $passkeyId, $customerId, $browser, $system from stored
   ), ${provenAddressOf('stored')}, ${openSession('stored')}` as const

/**
 * A person who comes for the first time and has proven an address in this visit: the customer, their passkey, the
 * address and a session, all or nothing. None: the visit was used up or is over.
 */
export const insertOwner = one(
  'owners.insert',
  `with ${USE_VISIT}, made as (
     ${insertNamedIf('$customerId', "'owner:' || $customerId", 'visited')}
     returning id
   ), admitted as (
     select false as may_replace from made
   ), ${STORE_PASSKEY}, ${OWNER_OF_STORED}
   select replaces from stored`,
  { replaces: nullable(text) },
)

/** The same of a person who pays with the passkey at a shop. */
export const insertOwnerOfShop = one(
  'owners.insert_with_shop_passkey',
  `with ${USE_VISIT}, made as (
     ${insertNamedIf('$customerId', "'owner:' || $customerId", 'visited')}
     returning id
   ), ${storeShared('made')}, ${OWNER_OF_STORED}
   select replaces from stored`,
  { replaces: nullable(text) },
)

/** One who comes back, by a signature that was verified. None: of two uses of one counter the other one came first. */
export const insertSession = one(
  'owners.begin_session',
  `with ${lockSigning('true')}, agreed as (
     select id from signing
   ), ${USE_PASSKEY}, ${openSession('agreed')}
   select digest from begun`,
  { digest: bytes },
)

/** What is shown of a session. */
const LISTED = {
  id: text,
  browser: nullable(text),
  system: nullable(text),
  place: text,
  createdAt: time,
  usedAt: time,
  idleAt: time,
  expiresAt: time,
}
const SESSION = { ...LISTED, digest: bytes, customerId: text, passkeyId: text, seal: bytes }

/** A session ends with the passkey that began it. */
const OF_GOOD_PASSKEY = `join passkeys on passkeys.merchant_id = $merchantId and passkeys.id = owner_sessions.passkey_id
     and passkeys.retired_at is null and passkeys.flagged_at is null` as const

export const findSession = one(
  'owners.find_session',
  `select ${columns(SESSION, 'owner_sessions')} from owner_sessions ${OF_GOOD_PASSKEY}
   where owner_sessions.merchant_id = $merchantId and owner_sessions.digest = $digest`,
  SESSION,
)

/** Those that are open, the last used first. */
export const listSessions = many(
  'owners.list_sessions',
  `select ${columns(LISTED, 'owner_sessions')} from owner_sessions ${OF_GOOD_PASSKEY}
   where owner_sessions.merchant_id = $merchantId and owner_sessions.customer_id = $customerId
     and owner_sessions.idle_at > $at
   order by owner_sessions.used_at desc, owner_sessions.id limit $limit`,
  LISTED,
)

/** A session is used: of requests at the same moment the first one writes. */
export const updateUsed = execute(
  'owners.use_session',
  `update owner_sessions set used_at = $at, place = $place, idle_at = least(expires_at, $idleAt)
   where merchant_id = $merchantId and digest = $digest and used_at < $usedBefore`,
)

/** The session goes on under another token. None: it has ended, or another request has given it one. */
export const updateToken = one(
  'owners.rotate_session',
  `update owner_sessions set digest = $newDigest, seal = $sessionSeal, used_at = $at, idle_at = least(expires_at, $idleAt)
   where merchant_id = $merchantId and digest = $digest
   returning id`,
  { id: text },
)

export const deleteSession = execute(
  'owners.end_session',
  'delete from owner_sessions where merchant_id = $merchantId and digest = $digest',
)

/** A session of this owner, by its name. None: it is not there, or another owner has it. */
export const deleteNamed = one(
  'owners.end_named_session',
  `delete from owner_sessions where merchant_id = $merchantId and customer_id = $customerId and id = $sessionId
   returning id`,
  { id: text },
)

export const deleteSessions = execute(
  'owners.end_sessions',
  'delete from owner_sessions where merchant_id = $merchantId and customer_id = $customerId',
)

/** Those that are over. */
export const deleteOver = execute(
  'owners.delete_sessions',
  `delete from owner_sessions where merchant_id = $merchantId and digest = any (array(
     select digest from owner_sessions where merchant_id = $merchantId and idle_at <= $at order by idle_at limit $limit))`,
)

export const findOwner = one(
  'owners.find',
  'select name from owners where merchant_id = $merchantId and customer_id = $customerId',
  { name: text },
)

/** What an owner is called, what they see of their passkeys, their sessions and recoveries. */
export const deleteOwner = execute(
  'owners.delete',
  `with signed_out as (
     delete from owner_sessions where merchant_id = $merchantId and customer_id = $customerId
   ), unshown as (
     delete from owner_passkeys where merchant_id = $merchantId and customer_id = $customerId
   ), let_in as (
     delete from owner_devices where merchant_id = $merchantId and customer_id = $customerId
   ), recovered as (
     delete from owner_recoveries where merchant_id = $merchantId and customer_id = $customerId
   ), tried as (
     delete from owner_recovery_tries where merchant_id = $merchantId and customer_id = $customerId
   )
   delete from owners where merchant_id = $merchantId and customer_id = $customerId`,
)
