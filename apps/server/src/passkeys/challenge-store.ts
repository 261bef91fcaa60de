import { columns, text } from '../db/row.ts'
import { many, one } from '../db/statement.ts'
import { UNAWAITED } from '../db/unawaited.ts'
import { CHALLENGE, CLAIM, insertChallenge as inserting } from './fragments.ts'

export type Ceremony = 'registration' | 'assertion'

/** Freezes the text: what is signed with this challenge is the text of this row, even if its source changes meanwhile. */
export const insertChallenge = one('passkeys.insert_challenge', inserting(`where ${UNAWAITED}`), {
  challenge: text,
})

/**
 * The same behind the passkey that may answer it, in the transaction that makes it: that is waited for. None where the passkey was not made.
 */
export const insertFirstChallenge = one(
  'passkeys.insert_first_challenge',
  // By the key alone: with more said of the row, the plan is one that reads all live passkeys of the merchant.
  inserting('from passkeys where merchant_id = $merchantId and id = $passkeyId'),
  { challenge: text },
)

/** Uses a challenge up, for its one answer; committed before the answer is judged. None: there is none to be answered, or it was. */
export const claimChallenge = one(
  'passkeys.claim_challenge',
  `${CLAIM} and ${UNAWAITED} returning ${columns(CHALLENGE)}`,
  CHALLENGE,
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
