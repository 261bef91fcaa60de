import { text } from '../db/row.ts'
import { many, one } from '../db/statement.ts'
import { UNAWAITED } from '../db/unawaited.ts'

export type Ceremony = 'registration' | 'assertion'

/**
 * Freezes the text: what is signed with this challenge is the text of this row, even if its source changes meanwhile.
 */
export const insertChallenge = one(
  'passkeys.insert_challenge',
  `insert into passkey_challenges (merchant_id, subject_type, subject_id, challenge, ceremony, nonce, bound_text, sign_count,
     embedded, created_at, expires_at)
   select $merchantId, $subjectType, $subjectId, $challenge, $ceremony, $nonce, $boundText, $signCount::bigint,
     $embedded::boolean, $at, $challengeExpiresAt
   where ${UNAWAITED}
   returning challenge`,
  { challenge: text },
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
  // Materialized: a plan may run a subquery again, and would then delete more than the limit. By arrays: a join may
  // read all rows of the merchant.
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
