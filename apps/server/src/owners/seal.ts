import type { SealedRow } from '../platform/row-seals.ts'

/** Whose session a token opens: an editor of the database signs in as no owner. */
export function sealedSession(session: {
  merchantId: string
  digest: Buffer
  customerId: string
  passkeyId: string
  expiresAt: Date
}): SealedRow {
  const { merchantId, digest, customerId, passkeyId, expiresAt } = session
  const parts = [digest, customerId, passkeyId, expiresAt.toISOString()]
  return { table: 'owner_sessions', merchantId, id: digest.toString('base64url').slice(0, 8), parts }
}
