import {
  createHmac,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import type { AgentLinkStatus } from '@mintmark/contract/agents'
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { idFrom } from '../platform/ids.ts'
import type { Secret } from '../platform/secret.ts'

/**
 * How a link stands at a time. One that waits is over with its time, and when another link of its key was approved
 * before it.
 */
export function standingOf(
  {
    status,
    expiresAt,
    keyLinked,
  }: { status: Exclude<AgentLinkStatus, 'expired'>; expiresAt: Date; keyLinked: boolean },
  now: Date,
): AgentLinkStatus {
  return status === 'pending' && (expiresAt <= now || keyLinked) ? 'expired' : status
}

/** The owner of an agent, as this agent sees it: two agents cannot find out that they have one owner. */
export function ownerName(
  key: Secret<Buffer>,
  { customerId, agentId }: { customerId: string; agentId: string },
): string {
  return idFrom(
    'owner',
    createHmac('sha256', createSecretKey(key.reveal())).update(`${customerId}:${agentId}`).digest(),
  )
}

/** Enough for a first mandate of 50.00, as the sandbox's owner allows unless asked otherwise. */
export const SANDBOX_LIMITS: AgentLimits = {
  currency: 'USD',
  charge: '100.00',
  day: '200.00',
  month: '1000.00',
  open: 10,
  merchants: null,
  hours: null,
  ask_above: null,
}

const X25519_PREFIX = Buffer.from('302a300506032b656e032100', 'hex')

/**
 * The 32 bytes of an X25519 key; undefined for a text of another form, and for a point to which everybody knows the
 * secret.
 */
export function readEncryptionKey(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== 32 || bytes.toString('base64') !== text || ((bytes[31] ?? 0) & 0x80) !== 0) return undefined
  const publicKey = createPublicKey({ key: Buffer.concat([X25519_PREFIX, bytes]), format: 'der', type: 'spki' })
  return isSafe(publicKey) ? bytes : undefined
}

function isSafe(publicKey: KeyObject): boolean {
  try {
    diffieHellman({ privateKey: generateKeyPairSync('x25519').privateKey, publicKey })
    return true
  } catch {
    // RFC 7748, 6.1: the shared secret is all zeros.
    return false
  }
}

/** Whether a JWK of this form is a point of P-256. */
export function isOnCurve(key: { kty: 'EC'; crv: 'P-256'; x: string; y: string }): boolean {
  try {
    createPublicKey({ key, format: 'jwk' })
    return true
  } catch {
    return false
  }
}
