import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { API_KEY_KINDS, type ApiKeyKind, type ApiKeyRole, ENVIRONMENTS, type Environment } from '@mintmark/contract'
import { BASE32_ALPHABET, randomText } from '../platform/ids.ts'
import type { SealedRow } from '../platform/row-seals.ts'
import { type Secret, secret } from '../platform/secret.ts'

/** First letters of a key: what it is for, and the environment it belongs to. No id of the product begins like this. */
const KIND_PREFIXES: Readonly<Record<ApiKeyKind, string>> = { secret: 'sk', publishable: 'pk', wallet: 'wk' }
const ENVIRONMENT_PREFIXES: Readonly<Record<Environment, string>> = { sandbox: 'test', production: 'live' }

/** 16 characters that say which row to look at, and 48 (240 random bits) that cannot be guessed. */
const ID_BYTES = 10
const SECRET_BYTES = 30
const KEY = new RegExp(`^(sk|pk|wk)_(test|live)_([${BASE32_ALPHABET}]{16})[${BASE32_ALPHABET}]{48}$`)

export interface ParsedKey {
  kind: ApiKeyKind
  environment: Environment
  /** The public part; a name for the key in lists and logs. */
  id: string
}

/** A new key. The text exists here once; afterwards only its keyed hash does. */
export function newKey(kind: ApiKeyKind, environment: Environment): ParsedKey & { text: Secret } {
  const id = randomText(ID_BYTES)
  return { kind, environment, id, text: secret(keyLabel(kind, environment, id) + randomText(SECRET_BYTES)) }
}

/** The public beginning of a key, as a list shows it. */
export function keyLabel(kind: ApiKeyKind, environment: Environment, id: string): string {
  return `${KIND_PREFIXES[kind]}_${ENVIRONMENT_PREFIXES[environment]}_${id}`
}

/**
 * What a text says of itself, or undefined when it has not the form of a key. Whether it is one, only the database
 * knows.
 */
export function parseKey(text: string): ParsedKey | undefined {
  const [, kindPrefix, environmentPrefix, id] = KEY.exec(text) ?? []
  const kind = API_KEY_KINDS.find((candidate) => KIND_PREFIXES[candidate] === kindPrefix)
  const environment = ENVIRONMENTS.find((candidate) => ENVIRONMENT_PREFIXES[candidate] === environmentPrefix)
  if (kind === undefined || environment === undefined || id === undefined) return undefined
  return { kind, environment, id }
}

/**
 * Keyed hash of the whole key, prefixes included: a key works only as the kind it was issued as, and rows copied out of
 * the database, or written into it, are worth nothing without the pepper. A slow hash would add nothing to 240 bits.
 */
export function hashKey(pepper: Secret<Buffer>, text: string): Buffer {
  // As a key object: node:crypto takes three times as long over the bytes.
  return createHmac('sha256', createSecretKey(pepper.reveal())).update(text, 'utf8').digest()
}

/** Hash of a key just made. */
export function hashNewKey(pepper: Secret<Buffer>, key: { text: Secret }): Buffer {
  return hashKey(pepper, key.text.reveal())
}

/** What must not be edited of a key: whose it is, and what it may do. */
export function sealedKey(key: {
  merchantId: string
  id: string
  kind: ApiKeyKind
  role: ApiKeyRole
  keyHash: Buffer
}): SealedRow {
  const { merchantId, id, kind, role, keyHash } = key
  return { table: 'api_keys', merchantId, id, parts: [kind, role, keyHash] }
}

/** A secret that signs events, in the form Standard Webhooks verifiers expect. */
export function newWebhookSecret(): Secret {
  return secret(`whsec_${randomBytes(32).toString('base64')}`)
}
