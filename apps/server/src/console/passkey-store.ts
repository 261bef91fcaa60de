import { bigint, bool, bytes, columns, nullable, object, objectOf, text, texts, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { CLAIM_CHALLENGE, CLAIMED, CLAIMED_CHALLENGE } from '../passkeys/fragments.ts'
import { actOf } from './acts-store.ts'

// The passkeys of people. Locks: passkeys in the order of their ids.

/** What is read of a passkey that signs. */
export const STORED = {
  ...{ id: text, personId: text, publicKey: bytes, signCount: bigint, transports: texts, backupEligible: bool },
  ...{ seal: bytes, flaggedAt: nullable(time), createdAt: time },
}

/** The challenge that an answer uses up, and the passkey that has answered, whosever it is. One row. */
export const claimChallenge = one(
  'console.claim_challenge',
  `with ${CLAIM_CHALLENGE}
   select (${CLAIMED}) as claimed, (
     select ${objectOf(STORED, 'k')} from people_passkeys k
     where k.merchant_id = $merchantId and k.id = $passkeyId and k.retired_at is null) as passkey`,
  { claimed: CLAIMED_CHALLENGE, passkey: nullable(object(STORED)) },
)

const LISTED = {
  ...STORED,
  ...{ backedUp: bool, name: nullable(text), browser: nullable(text), system: nullable(text) },
  lastUsedAt: nullable(time),
}
/** Those that sign, and those that are flagged, the oldest first. */
export const listPasskeys = many(
  'console.list_passkeys',
  `select ${columns(LISTED)} from people_passkeys
   where merchant_id = $merchantId and person_id = $personId and retired_at is null order by created_at, id`,
  LISTED,
)

/** One beside the others. None: there are as many as may be, or none. */
export const insertPasskey = one(
  'console.insert_passkey',
  `with live as materialized (
     select id from people_passkeys
     where merchant_id = $merchantId and person_id = $actorId and retired_at is null order by id for no key update
   ), stored as (
     insert into people_passkeys (merchant_id, id, person_id, public_key, sign_count, transports, backup_eligible, backed_up, name,
       browser, system, created_at, seal)
     select $merchantId, $passkeyId, $actorId::text, $publicKey::bytea, $signCount::bigint, $transports::text[],
       $backupEligible::boolean, $backedUp::boolean, $name::text, $browser::text, $system::text, $at, $seal::bytea
     where (select count(*) from live) between 1 and $most - 1
     returning id
   ), ${actOf('stored', 'passkey_made', '$name::text', 'null')}
   select null::text as replaces from stored`,
  { replaces: nullable(text) },
)

export const updateName = one(
  'console.name_passkey',
  `update people_passkeys set name = $name
   where merchant_id = $merchantId and person_id = $personId and id = $passkeyId and retired_at is null
   returning id`,
  { id: text },
)

/**
 * Ends a passkey and the sessions that it began, while another one that signs stays. All of the person's are locked
 * before they are counted: of two that are ended at the same moment the second one sees what the first has left.
 */
export const retirePasskey = one(
  'console.end_passkey',
  `with live as materialized (
     select id, flagged_at from people_passkeys
     where merchant_id = $merchantId and person_id = $actorId and retired_at is null order by id for no key update
   ), ended as (
     update people_passkeys set retired_at = $at
     where merchant_id = $merchantId and id = (select id from live where id = $passkeyId)
       and exists (select 1 from live where id <> $passkeyId and flagged_at is null)
     returning id, coalesce(name, concat_ws(', ', browser, system)) as called
   ), out as (
     delete from people_sessions
     where merchant_id = $merchantId and person_id = $actorId and passkey_id = $passkeyId and exists (select 1 from ended)
   ), ${actOf('ended', 'passkey_ended', "nullif(called, '')", 'null')}
   select id from ended`,
  { id: text },
)

/** A copy of it may be in other hands. */
export const updateFlagged = execute(
  'console.flag_passkey',
  `update people_passkeys set flagged_at = coalesce(flagged_at, $at)
   where merchant_id = $merchantId and person_id = $personId and id = $passkeyId`,
)
