import { createHash } from 'node:crypto'

export const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()
export const hashText = (data: string | Uint8Array): string => sha256(data).toString('base64url')

/**
 * The bytes of a base64url text; undefined: it is none, or not the one text of these bytes. Node takes any last
 * character whose spare bits are not zero: a flipped bit there would not be seen.
 */
export function bytesOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

/** Whether a name is the thumbprint of a P-256 key (RFC 7638). */
export function isThumbprintOf(name: string, { crv, kty, x, y }: { crv: string; kty: string; x: string; y: string }) {
  return name === hashText(JSON.stringify({ crv, kty, x, y }))
}
