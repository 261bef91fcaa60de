import {
  bigint,
  bool,
  bytes,
  type Column,
  columns,
  nullable,
  object,
  objectOf,
  objects,
  type RowOf,
  text,
  texts,
  time,
} from '../db/row.ts'

// Parts of statements that must be one with something else.

export const STORED = {
  id: text,
  publicKey: bytes,
  signCount: bigint,
  transports: texts,
  backupEligible: bool,
  seal: bytes,
  flaggedAt: nullable(time),
  createdAt: time,
  /** The passkey that was lost, if this one was made in its place. */
  replaces: nullable(text),
}
export const PASSKEY = {
  ...STORED,
  /** It may be replaced now, by a proven card. */
  released: bool,
}
/** A live passkey of a customer, flagged or not. */
export type OnePasskey = RowOf<typeof STORED>
/** The first one, and those beside it: an owner may have several, a merchant's customer has one. */
export type Passkey = RowOf<typeof PASSKEY> & { beside: readonly OnePasskey[] }

export const CHALLENGE = { challenge: text, nonce: bytes, boundText: text, signCount: bigint, embedded: bool }
/** A challenge that its one answer has used up. */
export type ClaimedChallenge = RowOf<typeof CHALLENGE>
export const CLAIMED_CHALLENGE = nullable(object(CHALLENGE))

/**
 * CTE `claimed`: single use, checked and taken in one: of any number of equal answers one gets the row. The statement
 * is committed before anything is verified, so that a failed verification has used up the challenge.
 */
export const CLAIM_CHALLENGE = `claimed as (
     update passkey_challenges set claimed_at = $at
     where merchant_id = $merchantId and subject_type = $subjectType and subject_id = $subjectId
       and challenge = $challenge and ceremony = $ceremony and claimed_at is null and expires_at > $at
     returning ${columns(CHALLENGE)}
   )` as const

/** A subquery: what `claimed` has, as an object. */
export const CLAIMED = `select ${objectOf(CHALLENGE, 'claimed')} from claimed`

const UNUSED = `flagged_at is null and retired_at is null
       and (sign_count < $signCount or (sign_count = 0 and $signCount = 0))`

/**
 * CTE `signing`: locks the passkey of a verified signature, if `condition` holds. No row when its counter was passed,
 * or it was flagged or replaced, since then: of two uses with one counter value one counts.
 */
export const lockSigning = <const Condition extends string>(condition: Condition) =>
  `signing as materialized (
     select id from passkeys
     where merchant_id = $merchantId and customer_id = $customerId and id = $passkeyId and ${UNUSED} and ${condition}
     for no key update
   )` as const

/**
 * CTE `used`: moves the counter of the passkey of a verified signature, if `condition` holds. No row for the reasons of
 * `lockSigning`.
 */
export const usePasskey = <const Condition extends string>(condition: Condition) =>
  `used as (
     update passkeys set sign_count = $signCount, backed_up = $backedUp, last_used_at = $at
     where merchant_id = $merchantId and customer_id = $customerId and id = $passkeyId and ${UNUSED} and ${condition}
     returning id
   )` as const

/** CTE `used`: moves the counter of the passkey that was locked, if `agreed` has a row. */
export const USE_PASSKEY = `used as (
     update passkeys set sign_count = $signCount, backed_up = $backedUp, last_used_at = $at
     where merchant_id = $merchantId and id = $passkeyId and exists (select 1 from agreed)
   )`

/** A subquery: releases of the customer that may be used now. */
const openRelease = <const Customer extends string>(customer: Customer) =>
  `select 1 from passkey_releases
     where merchant_id = $merchantId and customer_id = ${customer} and used_at is null and expires_at > $at` as const

/** A subquery: whether the live passkey of a customer may be replaced now; no row: there is none. */
export const passkeyReleased = <const Customer extends string>(customer: Customer) =>
  `select exists (${openRelease(customer)}) from passkeys
     where merchant_id = $merchantId and customer_id = ${customer} and retired_at is null limit 1` as const

/** A subquery: the ids of the live passkeys of a customer. */
export const livePasskeys = <const Customer extends string>(customer: Customer) =>
  `select id from passkeys where merchant_id = $merchantId and customer_id = ${customer} and retired_at is null` as const

/** A subquery: the live passkeys of a customer, as objects; null: they have none. */
export const ownPasskey = <const Customer extends string>(customer: Customer) =>
  `select json_agg(${objectOf(PASSKEY, 'o')}) from (
     select *, exists (${openRelease(customer)}) as released from passkeys
     where merchant_id = $merchantId and customer_id = ${customer} and retired_at is null) o` as const

const { oids, read: readAll } = objects(PASSKEY)
/** A column: what `ownPasskey` gives, as the first passkey and those beside it. */
export const OWN_PASSKEY: Column<Passkey | null> = {
  oids,
  rows: PASSKEY,
  read(given) {
    if (given === null || readAll === undefined) return null
    const [first, ...beside] = readAll(given).sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
    return first === undefined ? null : { ...first, beside }
  },
}

const NEW_PASSKEY =
  'merchant_id, id, customer_id, public_key, sign_count, transports, backup_eligible, backed_up, seal, created_at'
const NEW_PASSKEY_VALUES =
  `$merchantId, $passkeyId, $customerId, $publicKey, $signCount::bigint, $transports::text[], $backupEligible::boolean,
       $backedUp::boolean, $seal::bytea, $at` as const

/**
 * CTE `stored`: the first passkey of a customer, if `condition` holds and there is none. The unique index over live
 * passkeys lets one of several in.
 */
export const storeFirst = <const Condition extends string>(condition: Condition) =>
  `stored as (
     insert into passkeys (${NEW_PASSKEY})
     select ${NEW_PASSKEY_VALUES}
     where ${condition} and not exists (
       select 1 from passkeys where merchant_id = $merchantId and customer_id = $customerId and retired_at is null)
     on conflict do nothing
     returning id
   )` as const

/**
 * CTEs `retired`, `stored` and `used_release`: the customer's passkey, if `admitted` has a row. A customer has one live
 * passkey, flagged or not: a launch link must not be enough to add one and spend the saved cards. Replaced is what was
 * released, where `admitted` says `may_replace`. For registrations at the same time the unique index over live passkeys
 * lets one in. It looks at each row when it is written, so the old passkey must be retired before the new one is
 * inserted: the new row is made from what `retired` returns, and cannot be made before.
 */
export const STORE_PASSKEY = `live as (
     select id from passkeys where merchant_id = $merchantId and customer_id = $customerId and retired_at is null
   ), retired as (
     update passkeys set retired_at = $at
     where merchant_id = $merchantId and customer_id = $customerId and retired_at is null
       and exists (select 1 from admitted where may_replace) and exists (${openRelease('$customerId')})
     returning id
   ), stored as (
     insert into passkeys (${NEW_PASSKEY}, replaces)
     select ${NEW_PASSKEY_VALUES}, (select max(id) from retired)
     from admitted where not exists (select 1 from live) or exists (select 1 from retired)
     returning id, replaces
   ), used_release as (
     update passkey_releases set used_at = $at
     where merchant_id = $merchantId and customer_id = $customerId and used_at is null
       and exists (select 1 from stored where replaces is not null)
   )` as const

/**
 * CTEs `live` and `stored`: a passkey beside the others of an owner, at the lowest free place, if `cte` has a row.
 * None: there are ten, or none. If two are stored for one place, the unique index lets one in.
 */
export const storeBeside = <const Cte extends string>(cte: Cte) =>
  `live as materialized (
     select place from passkeys where merchant_id = $merchantId and customer_id = $customerId and retired_at is null
   ), stored as (
     insert into passkeys (merchant_id, id, customer_id, public_key, sign_count, transports, backup_eligible, backed_up, seal,
       place, created_at)
     select $merchantId, $passkeyId, $customerId, $publicKey, $signCount::bigint, $transports::text[], $backupEligible::boolean,
       $backedUp::boolean, $seal::bytea,
       (select min(free) from generate_series(0, 9) free where not exists (select 1 from live where live.place = free)), $at
     from ${cte} where (select count(*) from live) between 1 and 9
     returning id, replaces
   )` as const

/** CTE `stored`: the first passkey of an owner, which was made for a shop's customer, if `cte` has a row. */
export const storeShared = <const Cte extends string>(cte: Cte) =>
  `stored as (
     insert into passkeys (${NEW_PASSKEY}, user_handle, last_used_at)
     select ${NEW_PASSKEY_VALUES}, $userHandle::bytea, $at from ${cte}
     returning id, replaces
   )` as const

/**
 * CTEs `live`, `retired` and `stored`: a passkey in place of all that an owner has, if `cte` has a row. They are locked
 * in the order of their ids, and retired before the new one is written, whose place is that of one of them.
 */
export const storeInPlaceOf = <const Cte extends string>(cte: Cte) =>
  `live as materialized (
     select id from passkeys
     where merchant_id = $merchantId and customer_id = $customerId and retired_at is null and exists (select 1 from ${cte})
     order by id for no key update
   ), retired as (
     update passkeys set retired_at = $at where merchant_id = $merchantId and id in (select id from live)
     returning id
   ), stored as (
     insert into passkeys (${NEW_PASSKEY}, replaces)
     select ${NEW_PASSKEY_VALUES}, (select max(id) from retired) from ${cte}
     returning id, replaces
   )` as const

/**
 * Ends a passkey, while another one that signs stays. All of the owner's are locked before they are counted: if two are
 * ended at the same moment, the second one sees what the first has left, so that one is always left.
 */
export const RETIRE_ONE = `with live as materialized (
     select id, flagged_at from passkeys
     where merchant_id = $merchantId and customer_id = $customerId and retired_at is null
     order by id for no key update
   )
   update passkeys set retired_at = $at
   where merchant_id = $merchantId and id = (select id from live where id = $passkeyId)
     and exists (select 1 from live where id <> $passkeyId and flagged_at is null)
   returning id` as const

/** CTE `retired`: the passkey of the customer of `erased` signs nothing any more, which has a row or none. */
export const RETIRE_OF_ERASED = `retired as (
     update passkeys set retired_at = $at
     where merchant_id = $merchantId and customer_id = (select id from erased) and retired_at is null
   )` as const
