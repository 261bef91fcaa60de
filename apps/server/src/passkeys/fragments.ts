import { bigint, bool, bytes, nullable, objectOf, type RowOf, text, texts, time } from '../db/row.ts'

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

/**
 * CTE `used`: moves the counter of a passkey after a verified signature. No row when the counter was passed, or the
 * passkey flagged, since then: of two uses with one counter value one counts.
 */
export const USE_PASSKEY = `used as (
     update passkeys set sign_count = $signCount, backed_up = $backedUp, last_used_at = $at
     where merchant_id = $merchantId and customer_id = $customerId and id = $passkeyId and flagged_at is null
       and retired_at is null
       and (sign_count < $signCount or (sign_count = 0 and $signCount = 0))
     returning id
   )`

/** A subquery: releases of the customer that may be used now. */
export const openRelease = <const Customer extends string>(customer: Customer) =>
  `select from passkey_releases
     where passkey_releases.merchant_id = $merchantId and passkey_releases.customer_id = ${customer}
       and passkey_releases.used_at is null and passkey_releases.expires_at > $at` as const

/** A subquery: the live passkey of a customer, as an object. */
export const ownPasskey = <const Customer extends string>(customer: Customer) =>
  `select ${objectOf(PASSKEY, 'own')} from (
     select *, exists (${openRelease(customer)}) as released from passkeys
     where merchant_id = $merchantId and customer_id = ${customer} and retired_at is null) own` as const
