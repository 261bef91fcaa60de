import { createHash, randomBytes } from 'node:crypto'
import { canonicalJson } from '../platform/canonical-json.ts'
import type { CeremonyOwner } from './ceremony.ts'

/** Fresh for every challenge, so that equal texts never share one. */
export function newNonce(): Buffer {
  return randomBytes(32)
}

/** base64url(SHA-256(nonce ‖ SHA-256(text))): a signature over the challenge is a signature over the text. */
export function bindChallenge(nonce: Uint8Array, text: string): string {
  return createHash('sha256').update(nonce).update(sha256(text)).digest('base64url')
}

/** What the challenge of a registration binds: a challenge of another customer or subject never fits. */
export function registrationText({ merchantId, customerId, subject }: CeremonyOwner): string {
  return canonicalJson({ ceremony: 'registration', merchantId, customerId, [subject.type]: subject.id })
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}
