import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto'
import type { Secret } from '../platform/secret.ts'

/** With which the operator signs what it says of agents. */
export interface DirectoryKey {
  privateKey: KeyObject
  jwk: { kty: 'OKP'; crv: 'Ed25519'; kid: string; x: string; use: 'sig' }
}

/** What stands before the 32 bytes of a private Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The same on every node: its seed comes from the root key. */
export function directoryKeyOf(seed: Secret<Buffer>): DirectoryKey {
  const der = Buffer.concat([PKCS8_PREFIX, seed.reveal()])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  const kid = hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url')
  return { privateKey, jwk: { kty: 'OKP', crv: 'Ed25519', kid, x, use: 'sig' } }
}
