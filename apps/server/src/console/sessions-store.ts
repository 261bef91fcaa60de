import { CONSOLE_ROLES } from '@mintmark/contract/console'
import { bool, bytes, columns, nullable, oneOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { actOf } from './acts-store.ts'

// Sessions of people. Locks: passkey, session.

/** The first of any number of presses at the same moment makes the person of the demo account. */
export const insertDemoPerson = execute(
  'console.insert_demo_person',
  `with made as (
     insert into people (merchant_id, id, name, created_at, seal)
     values ($merchantId, $personId, $name, $at, $personSeal)
     on conflict do nothing
   )
   insert into account_members (merchant_id, account_id, person_id, role, created_at, seal)
   values ($merchantId, $accountId, $personId, $role, $at, $memberSeal)
   on conflict do nothing`,
)

/** CTEs: a session in place of the one that the browser had, if `from` has a row. */
const startIn = <const From extends string>(from: From) =>
  `former as (
     delete from people_sessions
     where merchant_id = $merchantId and digest = $formerDigest::bytea and exists (select 1 from ${from})
   ), begun as (
     insert into people_sessions (merchant_id, digest, id, person_id, account_id, passkey_id, browser, system, place, created_at,
       used_at, idle_at, expires_at, seal)
     select $merchantId, $digest, $sessionId, $personId, $accountId, $passkeyId::text, $browser::text, $system::text,
       $place::text, $signedInAt, $signedInAt, $idleAt::timestamptz, $expiresAt, $sessionSeal::bytea
     from ${from}
     returning digest
   )` as const

/** The person looks after the account. */
export const insertSession = one(
  'console.insert_session',
  `with member as (
     select person_id from account_members
     where merchant_id = $merchantId and account_id = $accountId and person_id = $personId
   ), ${startIn('member')}
   select digest from begun`,
  { digest: bytes },
)

/** The counter of a passkey whose signature was verified moves. None: another use came first, or it has ended. */
const USED = `used as (
     update people_passkeys set sign_count = $signCount, backed_up = $backedUp, last_used_at = $at
     where merchant_id = $merchantId and person_id = $personId and id = $passkeyId and flagged_at is null
       and retired_at is null and (sign_count < $signCount or (sign_count = 0 and $signCount = 0))
     returning id
   )` as const

/** One who comes back, by a signature that was verified. None: of two uses of one counter the other one came first. */
export const insertSignedIn = one(
  'console.begin_session',
  `with ${USED}, ${startIn('used')}, ${actOf('begun', 'signed_in', 'null', 'null')}
   select digest from begun`,
  { digest: bytes },
)

/** A passkey was used to confirm something. */
export const updatePasskeyUsed = one('console.use_passkey', `with ${USED} select id from used`, { id: text })

const LISTED = {
  id: text,
  accountId: text,
  browser: nullable(text),
  system: nullable(text),
  place: text,
  createdAt: time,
  usedAt: time,
  idleAt: time,
}
const SESSION = {
  ...{ id: text, digest: bytes, personId: text, accountId: text, passkeyId: nullable(text) },
  ...{ usedAt: time, idleAt: time, expiresAt: time, seal: bytes },
}

/** A session ends with the passkey that began it, and with the place of its person at the account. */
export const findSession = one(
  'console.find_session',
  `select ${columns(SESSION, 's')}, p.name, p.email, p.seal as person_seal, m.role, m.seal as member_seal,
     exists (
       select 1 from people_passkeys k where k.merchant_id = $merchantId and k.id = s.passkey_id and k.retired_at is null
         and k.flagged_at is null) as signs
   from people_sessions s
   join people p on p.merchant_id = $merchantId and p.id = s.person_id
   join account_members m on m.merchant_id = $merchantId and m.account_id = s.account_id and m.person_id = s.person_id
   where s.merchant_id = $merchantId and s.digest = $digest`,
  {
    ...SESSION,
    ...{ name: text, email: nullable(text), personSeal: bytes, role: oneOf(CONSOLE_ROLES), memberSeal: bytes },
    signs: bool,
  },
)

/** Those that are open, the last used first. */
export const listSessions = many(
  'console.list_sessions',
  `select ${columns(LISTED)} from people_sessions
   where merchant_id = $merchantId and person_id = $personId and idle_at > $at
   order by used_at desc, id limit $limit`,
  LISTED,
)

/** A session is used: of requests at the same moment the first one writes. */
export const updateUsed = execute(
  'console.use_session',
  `update people_sessions set used_at = $at, place = $place, idle_at = least(expires_at, $idleAt)
   where merchant_id = $merchantId and digest = $digest and used_at < $usedBefore`,
)

/** The session goes on under another token. None: it has ended, or another request has given it one. */
export const updateToken = one(
  'console.rotate_session',
  `update people_sessions set digest = $newDigest, account_id = $accountId, seal = $sessionSeal, used_at = $at,
     idle_at = least(expires_at, $idleAt)
   where merchant_id = $merchantId and digest = $digest and exists (
     select 1 from account_members m
     where m.merchant_id = $merchantId and m.account_id = $accountId and m.person_id = people_sessions.person_id)
   returning id`,
  { id: text },
)

export const deleteSession = execute(
  'console.end_session',
  'delete from people_sessions where merchant_id = $merchantId and digest = $digest',
)

/** One of a person's own. */
export const deleteNamed = one(
  'console.end_named_session',
  `with ended as (
     delete from people_sessions where merchant_id = $merchantId and person_id = $actorId and id = $sessionId
     returning id, browser, system
   ), ${actOf('ended', 'sessions_ended', "nullif(concat_ws(', ', browser, system), '')", 'null')}
   select id from ended`,
  { id: text },
)

/** All of a person's. */
export const deleteSessions = one(
  'console.end_sessions',
  `with ended as (
     delete from people_sessions where merchant_id = $merchantId and person_id = $actorId returning id
   ), one as (
     select max(id) as id from ended
   ), ${actOf('one', 'sessions_ended', 'null', 'null')}
   select id from one`,
  { id: nullable(text) },
)

/** Those that are over. */
export const deleteOver = execute(
  'console.delete_sessions',
  `delete from people_sessions where merchant_id = $merchantId and digest = any (array(
     select digest from people_sessions where merchant_id = $merchantId and idle_at <= $at order by idle_at limit $limit))`,
)

export const findPerson = one(
  'console.find_person',
  'select name from people where merchant_id = $merchantId and id = $personId',
  { name: text },
)
