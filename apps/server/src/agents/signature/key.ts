import { createPublicKey, hash, type KeyObject } from 'node:crypto'

/** What stands before the 32 bytes of an Ed25519 key in SPKI (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Points of small order, without the bit of their sign. Everybody can make signatures of such a key: the same few bytes are right for one
 * message in eight or for all, and not every OpenSSL refuses them.
 */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
])

export interface AgentKey {
  key: KeyObject
  /** Its 32 bytes. */
  bytes: Buffer
  /** RFC 7638, base64url. */
  thumbprint: string
}

/** The key that an agent sends to be linked: SPKI in base64, Ed25519. Undefined for any other, and for one that is everybody's. */
export function readAgentKey(text: string): AgentKey | undefined {
  const spki = Buffer.from(text, 'base64')
  // One text a key: what Node reads past is refused.
  if (spki.toString('base64') !== text || spki.length !== SPKI_PREFIX.length + 32) return undefined
  if (!spki.subarray(0, SPKI_PREFIX.length).equals(SPKI_PREFIX)) return undefined
  const point = spki.subarray(SPKI_PREFIX.length)
  const x = point.toString('base64url')
  if (SMALL_ORDER.has(withoutSign(point))) return undefined
  const thumbprint = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url')
  return { key: publicKeyOf(point), bytes: point, thumbprint }
}

function withoutSign(point: Buffer): string {
  const copy = Buffer.from(point)
  copy[31] = (copy[31] ?? 0) & 0x7f
  return copy.toString('hex')
}

/** A key as it is stored. */
export function publicKeyOf(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' })
}
