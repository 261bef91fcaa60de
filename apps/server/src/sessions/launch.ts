import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { base32, newId, randomText } from '../platform/ids.ts'
import type { Secret } from '../platform/secret.ts'

const SECRET_BYTES = 20

/** What a session is called, and what opens it: it travels in the fragment of `iframe_url` and is stored as a keyed hash. */
export interface Launch {
  sessionId: string
  launchSecret: string
}

/** For a merchant's session: 160 random bits. Only the sealed response under a caller's key can say them again. */
export function newLaunch(): Launch {
  return { sessionId: newId('session'), launchSecret: randomText(SECRET_BYTES) }
}

/**
 * For an agent's session, whose agent may ask for its address again when an answer was lost: as good as random without the key, and never
 * stored. No session's hash is over such a text: a session's id is not `agent`.
 */
export function agentLaunch(key: Secret<Buffer>, agentId: string): Launch {
  const sessionId = newId('session')
  return { sessionId, launchSecret: agentLaunchSecret(key, { sessionId, agentId }) }
}

export function agentLaunchSecret(
  key: Secret<Buffer>,
  { sessionId, agentId }: { sessionId: string; agentId: string },
): string {
  const bytes = createHmac('sha256', createSecretKey(key.reveal())).update(`agent ${agentId} ${sessionId}`).digest()
  return base32(bytes.subarray(0, SECRET_BYTES))
}

export function hashLaunchSecret(key: Secret<Buffer>, sessionId: string, launchSecret: string): Buffer {
  // As a key object: node:crypto takes three times as long over the bytes.
  return createHmac('sha256', createSecretKey(key.reveal())).update(`${sessionId}.${launchSecret}`).digest()
}

/** Both sides are hashes of one length, so that neither length nor time tells anything. */
export function launchSecretMatches(key: Secret<Buffer>, sessionId: string, given: string, hash: Buffer): boolean {
  return timingSafeEqual(hashLaunchSecret(key, sessionId, given), hash)
}

/**
 * Where the cardholder goes. Merchant and session are in the path, because the page's `frame-ancestors` depends on the
 * merchant and its header is sent before any script runs; the secret is in the fragment, which no server ever sees.
 */
export function launchUrl(surfaceUrl: string, merchantId: string, sessionId: string, launchSecret: string): string {
  return `${surfaceUrl}/s/${merchantId}/${sessionId}#${launchSecret}`
}
