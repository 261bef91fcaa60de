import { bigint, bool, bytes, text } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'

export type Ceremony = 'registration' | 'assertion'

/** Freezes the text: what is signed with this challenge is the text of this row, even if its source changes meanwhile. */
export const insertChallenge = execute(
  'passkeys.insert_challenge',
  `insert into passkey_challenges (merchant_id, subject_type, subject_id, challenge, ceremony, nonce, bound_text, sign_count,
     embedded, created_at, expires_at)
   values ($merchantId, $subjectType, $subjectId, $challenge, $ceremony, $nonce, $boundText, $signCount, $embedded, $at,
     $expiresAt)`,
)

/**
 * Single use, checked and taken in one statement: of any number of equal responses one gets the row. Runs before
 * anything is verified and by itself, so that a failed verification has used up the challenge.
 */
export const claimChallenge = one(
  'passkeys.claim_challenge',
  `update passkey_challenges set claimed_at = $at
   where merchant_id = $merchantId and subject_type = $subjectType and subject_id = $subjectId
     and challenge = $challenge and ceremony = $ceremony and claimed_at is null and expires_at > $at
   returning challenge, nonce, bound_text, sign_count, embedded`,
  { challenge: text, nonce: bytes, boundText: text, signCount: bigint, embedded: bool },
)

/** Merchants with expired challenges. Operator's statement. */
export const listMerchantsWithExpired = many(
  'passkeys.list_merchants_with_expired_challenges',
  `select distinct merchant_id from (
     select merchant_id from passkey_challenges where expires_at <= $at order by expires_at limit $limit) expired`,
  { merchantId: text },
)

/** Claimed ones too: an expired challenge can be claimed no more, so its row protects nothing. */
export const deleteExpired = many(
  'passkeys.delete_expired_challenges',
  // Materialized: a plan may run a subquery again, and would then delete more than the limit. By arrays: a join may read all
  // rows of the merchant.
  `with expired as materialized (
     select subject_type, subject_id, challenge from passkey_challenges
     where merchant_id = $merchantId and expires_at <= $at order by expires_at limit $limit for update skip locked
   )
   delete from passkey_challenges
   where merchant_id = $merchantId and subject_type = any(array(select subject_type from expired))
     and subject_id = any(array(select subject_id from expired)) and challenge = any(array(select challenge from expired))
   returning challenge`,
  { challenge: text },
)
