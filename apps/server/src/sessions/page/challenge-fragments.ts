import type { SessionRow } from '../fragments.ts'

// The challenge of a session is in its row (ADR 0080). The last one that was asked for is the open one: who asks again
// signs what was shown last.

/** SET of the challenge that is asked for now. What is signed with it is the text of its row. */
const ASKING = `ceremony = $ceremony, challenge = $challenge, nonce = $nonce, bound_text = $boundText,
       challenge_sign_count = $signCount, challenge_embedded = $embedded, challenge_expires_at = $challengeExpiresAt` as const

/** Asks the session of `$sessionId`, if `condition` holds. */
export const ask = <const Condition extends string>({ table, place }: SessionRow, condition: Condition) =>
  `update ${table} set ${ASKING}
     where ${place} and ${condition}` as const

/**
 * CTE `claimed`: single use, checked and taken in one: of any number of equal answers one gets the row. The statement
 * is committed before anything is verified, so that a failed verification has used up the challenge.
 */
export const claim = ({ table, place }: SessionRow) =>
  `claimed as (
     update ${table} set ceremony = null
     where ${place} and ceremony = $ceremony and challenge = $challenge and challenge_expires_at > $at
     returning challenge, nonce, bound_text, challenge_sign_count as sign_count, challenge_embedded as embedded
   )` as const
