// Parts of statements that must be one with something else.

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
export const OPEN_RELEASE = `select from passkey_releases
     where passkey_releases.merchant_id = $merchantId and passkey_releases.customer_id = $customerId
       and passkey_releases.used_at is null and passkey_releases.expires_at > $at`
