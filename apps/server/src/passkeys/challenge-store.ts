import { count, type Queryable, row, statement } from '../db/statement.ts'

export type Ceremony = 'registration' | 'approval'

export interface ChallengeRow {
  challenge: string
  nonce: Buffer
  statement: string | null
  card_id: string | null
  embedded: boolean
}

interface Session {
  merchantId: string
  sessionId: string
}

const insert = statement(
  'passkeys.insert_challenge',
  `insert into passkey_challenges (merchant_id, session_id, challenge, ceremony, nonce, statement, card_id, embedded,
     created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)

export interface NewChallenge {
  challenge: string
  ceremony: Ceremony
  nonce: Buffer
  statement: string | null
  cardId: string | null
  embedded: boolean
  createdAt: Date
  expiresAt: Date
}

/** Freezes the terms: what is approved with this challenge is the statement of this row, whatever changes meanwhile. */
export async function insertChallenge(on: Queryable, session: Session, challenge: NewChallenge): Promise<void> {
  await count(on, insert, [
    session.merchantId,
    session.sessionId,
    challenge.challenge,
    challenge.ceremony,
    challenge.nonce,
    challenge.statement,
    challenge.cardId,
    challenge.embedded,
    challenge.createdAt,
    challenge.expiresAt,
  ])
}

const claim = statement<ChallengeRow>(
  'passkeys.claim_challenge',
  `update passkey_challenges set claimed_at = $5
   where merchant_id = $1 and session_id = $2 and challenge = $3 and ceremony = $4
     and claimed_at is null and expires_at > $5
   returning challenge, nonce, statement, card_id, embedded`,
)

/**
 * Single use, checked and taken in one statement: of any number of equal answers one gets the row. Runs before anything is
 * verified and in a transaction of its own, so that a failed verification has burnt the challenge.
 */
export async function claimChallenge(on: Queryable, session: Session, ceremony: Ceremony, challenge: string, at: Date) {
  return row(on, claim, [session.merchantId, session.sessionId, challenge, ceremony, at])
}

const deleteExpired = statement(
  'passkeys.delete_expired_challenges',
  `delete from passkey_challenges where (merchant_id, session_id, challenge) in (
     select merchant_id, session_id, challenge from passkey_challenges
     where expires_at <= $1 order by expires_at limit $2 for update skip locked)`,
)

/** Claimed ones too: an expired challenge can be claimed no more, so its row protects nothing. Operator's statement. */
export async function deleteExpiredChallenges(on: Queryable, at: Date, limit: number): Promise<number> {
  return count(on, deleteExpired, [at, limit])
}
