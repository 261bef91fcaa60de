import { bigint, bool, bytes, columns, nullable, object, objectOf, type RowOf, text, texts, time } from '../db/row.ts'

// Parts of statements that must be one with something else.

const STORED = {
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
/** The one live passkey of a customer, flagged or not. */
export type Passkey = RowOf<typeof PASSKEY>

export const CHALLENGE = { challenge: text, nonce: bytes, boundText: text, signCount: bigint, embedded: bool }
/** A challenge that its one answer has used up. */
export type ClaimedChallenge = RowOf<typeof CHALLENGE>
export const CLAIMED_CHALLENGE = nullable(object(CHALLENGE))

/** An UPDATE up to its conditions: single use, checked and taken in one. One of any number of equal answers gets the row. */
export const CLAIM = `update passkey_challenges set claimed_at = $at
     where merchant_id = $merchantId and subject_type = $subjectType and subject_id = $subjectId
       and challenge = $challenge and ceremony = $ceremony and claimed_at is null and expires_at > $at` as const

/**
 * CTE `claimed`: the challenge that is answered. The statement is committed before anything is verified, so that a failed verification
 * has used it up.
 */
export const CLAIM_CHALLENGE = `claimed as (
     ${CLAIM}
     returning ${columns(CHALLENGE)}
   )` as const

/** A subquery: what `claimed` has, as an object. */
export const CLAIMED = `select ${objectOf(CHALLENGE, 'claimed')} from claimed`

/** An INSERT: a new challenge for the row that `source` has, or none. What is signed with it is the text of its row. */
export const insertChallenge = <const Source extends string>(source: Source) =>
  `insert into passkey_challenges (merchant_id, subject_type, subject_id, challenge, ceremony, nonce, bound_text, sign_count,
     embedded, created_at, expires_at)
   select $merchantId, $subjectType, $subjectId, $challenge, $ceremony, $nonce, $boundText, $signCount::bigint,
     $embedded::boolean, $at, $challengeExpiresAt
   ${source as Source}
   returning challenge` as const

const UNUSED = `flagged_at is null and retired_at is null
       and (sign_count < $signCount or (sign_count = 0 and $signCount = 0))`

/**
 * CTE `signing`: locks the passkey of a verified signature, if `condition` holds. No row when its counter was passed, or it
 * was flagged or replaced, since then: one of two uses with one counter value counts.
 */
export const lockSigning = <const Condition extends string>(condition: Condition) =>
  `signing as materialized (
     select id from passkeys
     where merchant_id = $merchantId and customer_id = $customerId and id = $passkeyId and ${UNUSED} and ${condition}
     for no key update
   )` as const

const MOVE_COUNTER = 'update passkeys set sign_count = $signCount, backed_up = $backedUp, last_used_at = $at'

/** CTE `counted`: moves the counter of the passkey of a verified signature. No row: as of `lockSigning`. */
export const COUNT_SIGNATURE = `counted as (
     ${MOVE_COUNTER}
     where merchant_id = $merchantId and customer_id = $customerId and id = $passkeyId and ${UNUSED}
     returning id
   )` as const

/** CTE `used`: moves the counter of the passkey that was locked, if `agreed` has a row. */
export const USE_PASSKEY = `used as (
     ${MOVE_COUNTER}
     where merchant_id = $merchantId and id = $passkeyId and exists (select 1 from agreed)
   )`

/** A subquery: releases of the customer that may be used now. */
const openRelease = <const Customer extends string>(customer: Customer) =>
  `select 1 from passkey_releases
     where passkey_releases.merchant_id = $merchantId and passkey_releases.customer_id = ${customer}
       and passkey_releases.used_at is null and passkey_releases.expires_at > $at` as const

/** A subquery: whether the live passkey of a customer may be replaced now; no row: there is none. */
export const passkeyReleased = <const Customer extends string>(customer: Customer) =>
  `select exists (${openRelease(customer)}) from passkeys
     where merchant_id = $merchantId and customer_id = ${customer} and retired_at is null` as const

/** The select list of `PASSKEY`, from `passkeys`. */
export const PASSKEY_COLUMNS =
  `${columns(STORED)}, exists (${openRelease('passkeys.customer_id')}) as released` as const

/** A subquery: the live passkey of a customer, as an object. */
export const ownPasskey = <const Customer extends string>(customer: Customer) =>
  `select ${objectOf(PASSKEY, 'own')} from (
     select *, exists (${openRelease(customer)}) as released from passkeys
     where merchant_id = $merchantId and customer_id = ${customer} and retired_at is null) own` as const

const insertPasskey = <const Replaces extends string, const Source extends string>(
  replaces: Replaces,
  source: Source,
) =>
  `insert into passkeys (merchant_id, id, customer_id, public_key, sign_count, transports, backup_eligible, backed_up,
       seal, replaces, created_at)
     select $merchantId, $passkeyId, $customerId, $publicKey, $signCount::bigint, $transports::text[], $backupEligible::boolean,
       $backedUp::boolean, $seal::bytea, ${replaces}, $at
     ${source as Source}
     returning id, replaces` as const

/** An INSERT: the passkey of a customer who has none, if `source` has a row: a FROM with a WHERE, to which one more condition is added. */
export const insertFirstPasskey = <const Source extends string>(source: Source) =>
  insertPasskey(
    'null',
    `${source as Source} and not exists (
       select 1 from passkeys where merchant_id = $merchantId and customer_id = $customerId and retired_at is null)`,
  )

/**
 * CTEs `retired`, `stored` and `used_release`: the customer's passkey, if `admitted` has a row. A customer has one live
 * passkey, flagged or not: a launch link must not be enough to add one and spend the saved cards. Replaced is what was
 * released, where `admitted` says `may_replace`. The unique index over live passkeys lets in one of the registrations at the
 * same time. It looks at each row when it is written, so the old passkey must be retired before the new one is inserted: the
 * new row is made from what `retired` returns, and cannot be made before.
 */
export const STORE_PASSKEY = `live as (
     select id from passkeys where merchant_id = $merchantId and customer_id = $customerId and retired_at is null
   ), retired as (
     update passkeys set retired_at = $at
     where merchant_id = $merchantId and customer_id = $customerId and retired_at is null
       and exists (select 1 from admitted where may_replace) and exists (${openRelease('$customerId')})
     returning id
   ), stored as (
     ${insertPasskey(
       '(select max(id) from retired)',
       'from admitted where not exists (select 1 from live) or exists (select 1 from retired)',
     )}
   ), used_release as (
     update passkey_releases set used_at = $at
     where merchant_id = $merchantId and customer_id = $customerId and used_at is null
       and exists (select 1 from stored where replaces is not null)
   )` as const

/** CTE `retired`: the customer of `erased`, which has a row or none, signs with their passkey no more. */
export const RETIRE_OF_ERASED = `retired as (
     update passkeys set retired_at = $at
     where merchant_id = $merchantId and customer_id = (select id from erased) and retired_at is null
   )` as const
