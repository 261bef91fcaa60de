import type { SealedRow } from '../platform/row-seals.ts'

/** The owner whose session a token opens: an editor of the database signs in as none. */
export function sealedSession(session: {
  merchantId: string
  id: string
  digest: Buffer
  customerId: string
  passkeyId: string
  expiresAt: Date
}): SealedRow {
  const { merchantId, id, digest, customerId, passkeyId, expiresAt } = session
  const parts = [id, digest, customerId, passkeyId, expiresAt.toISOString()]
  return { table: 'owner_sessions', merchantId, id: digest.toString('base64url').slice(0, 8), parts }
}

/** That an owner has let in a device, and which one. */
export function sealedDevice(device: {
  merchantId: string
  id: string
  customerId: string
  visit: string
  allowedAt: Date
}): SealedRow {
  const { merchantId, id, customerId, visit, allowedAt } = device
  return { table: 'owner_devices', merchantId, id, parts: [customerId, visit, allowedAt.getTime()] }
}

/** That an owner's card was proven, when, and from when on a passkey can be made by which browser. */
export function sealedRecovery(recovery: {
  merchantId: string
  id: string
  customerId: string
  wordHash: Buffer
  cardId: string
  provenAt: Date
  waitsUntil: Date
}): SealedRow {
  const { merchantId, id, customerId, wordHash, cardId, provenAt, waitsUntil } = recovery
  const parts = [customerId, wordHash, cardId, provenAt.getTime(), waitsUntil.getTime()]
  return { table: 'owner_recoveries', merchantId, id, parts }
}
