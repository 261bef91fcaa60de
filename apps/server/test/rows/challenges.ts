import { expect } from 'vitest'
import type { Queryable } from '../../src/db/statement.ts'
import { SESSIONS } from './sessions.ts'

// The challenges that cardholders sign, as tests look at them and forge them. They are in the rows of the sessions that
// they are asked for (ADR 0080): a test names no table of theirs.

/** What a session's challenge for an approval binds, while nothing has claimed it. */
export async function challengeOf(on: Queryable, sessionId: string): Promise<{ nonce: Buffer; bound_text: string }> {
  const { rows } = await on.query<{ nonce: Buffer; bound_text: string }>(
    `select nonce, bound_text from ${SESSIONS} s where id = $1 and ceremony = 'assertion'`,
    [sessionId],
  )
  expect(rows, sessionId).toHaveLength(1)
  return rows[0] as { nonce: Buffer; bound_text: string }
}

/** Another challenge for the same approval, as if this text had been shown. */
export async function reissueChallenge(on: Queryable, sessionId: string, text: string, challenge: string) {
  for (const where of [
    'charges set bound_text = $2, challenge = $3 where opened_by',
    'mandates set bound_text = $2, challenge = $3 where session_id',
    'enrollments set bound_text = $2, challenge = $3 where id',
  ]) {
    await on.query(`update ${where} = $1 and ceremony = 'assertion'`, [sessionId, text, challenge])
  }
}

/** An editor of the database changes what a challenge of no session binds; returns how many there were. */
export async function editBoundText(on: Queryable, challenge: string, text: string): Promise<number | null> {
  const { rowCount } = await on.query('update passkey_challenges set bound_text = $1 where challenge = $2', [
    text,
    challenge,
  ])
  return rowCount
}

/** Writes the challenge of a purchase (of the session `$1`) anew as it is: who claims it has to wait. */
export const HOLD_CHALLENGE = 'update charges set challenge = challenge where opened_by = $1'
