import { MERCHANT } from '../lean/crypto.ts'
import type { Database } from '../lean/database.ts'
import { Refused } from '../lean/http.ts'
import type { Approved } from './journey.ts'

export const LEASE_MILLIS = 20_000

/** Four rows, each by a statement of its owner; committed when each has said that it was as it was read. */
export function approveTogether(database: Database, approved: Approved): Promise<bigint> {
  const { session, now, claimed, passkey, given, mandate, seal, evidence } = approved
  const { card, customer, agreed, nonce } = claimed
  const { clientData, authenticatorData, signature } = evidence
  const until = new Date(now.getTime() + LEASE_MILLIS)
  return database.together(async ({ run }) => {
    const terms = [session, mandate, customer, passkey.id, card.token, agreed, nonce]
    const written = await Promise.all([
      run('approveCharge', [MERCHANT, session, now, card.id, mandate, seal, until]),
      run('usePasskey', [MERCHANT, passkey.id, now, 0, true]),
      run('giveCard', [MERCHANT, card.id, passkey.id, given, card.seal]),
      run('keepEvidence', [MERCHANT, ...terms, clientData, authenticatorData, signature, now]),
    ])
    if (written.some((rows) => rows.length !== 1)) throw new Refused(409, 'state')
    return written[0]?.[0]?.[0] as bigint
  })
}
