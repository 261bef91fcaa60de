import { createHash, createPublicKey, type KeyObject } from 'node:crypto'

/** RFC 7638, of the public half. */
export function thumbprintOf(key: KeyObject): string {
  const { crv, kty, x } = createPublicKey(key).export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
}
