import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { randomText } from '../platform/ids.ts'
import type { Secret } from '../platform/secret.ts'

/** A fresh launch secret: 160 random bits. It travels in the fragment of `iframe_url` and is stored as a keyed hash. */
export function newLaunchSecret(): string {
  return randomText(20)
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
