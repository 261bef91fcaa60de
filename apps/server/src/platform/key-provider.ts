import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { openBox, sealBox } from './sealed-box.ts'
import type { Secret } from './secret.ts'

/**
 * Keeps the key-encryption keys and wraps data keys with them. Adapters (the local file, a cloud KMS, a transit engine)
 * pass the suite in `testing/key-provider.ts`.
 *
 * `context` is authenticated with the wrapped key: it opens only for the record it was wrapped for. An adapter throws
 * `KeyProviderUnavailable` when asking again may help; anything else it throws means that this wrapped key does not
 * open, and callers treat every such reason alike. A data key is the caller's, who zeroes it: the
 * adapter keeps no view of one, given or returned.
 */
export interface KeyProvider {
  /** Names the key `wrap` uses now; stored beside what it wrapped, so that a rotation can count what is left. */
  currentKeyId: string
  wrap(dataKey: Buffer, context: Buffer): Promise<{ keyId: string; wrapped: Buffer }>
  unwrap(keyId: string, wrapped: Buffer, context: Buffer): Promise<Buffer>
}

/**
 * The provider could not be asked, or will not answer us: down, slow, throttled, its key disabled, our rights missing.
 * Nothing is known of what was wrapped; the caller may try again.
 */
export class KeyProviderUnavailable extends Error {
  override readonly name = 'KeyProviderUnavailable'
  /** For the log, which keeps no messages: `ACCESS_DENIED`. */
  readonly code: string

  constructor(message: string, { code = 'UNAVAILABLE', cause }: { code?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.code = code
  }
}

const SALT_BYTES = 16
const LOCAL_KEY_ID = /^local:([1-9][0-9]{0,5})$/

/**
 * The adapter whose keys come from the root key file. Version `n` of the key is `local:n`; raising `version` rotates:
 * new data keys are wrapped by the new one, what older ones wrapped still opens. A deployment begins with version 1 and
 * goes on with keys that do not come from the root key (`keys/ring.ts`).
 */
export function createLocalKeyProvider(root: Secret<Buffer>, version = 1): KeyProvider {
  const current = keyEncryptionKey(root, version)
  const currentKeyId = `local:${version}`
  return {
    currentKeyId,
    wrap: async (dataKey, context) => ({ keyId: currentKeyId, wrapped: wrapWith(current, dataKey, context) }),
    unwrap: async (keyId, wrapped, context) => {
      const asked = Number(LOCAL_KEY_ID.exec(keyId)?.[1] ?? 0)
      if (asked < 1 || asked > version) throw noSuchKey()
      return unwrapWith(asked === version ? current : keyEncryptionKey(root, asked), wrapped, context)
    },
  }
}

/** The adapter of one key of 32 random bytes that is at hand, under the name it is given. */
export function createSingleKeyProvider(bytes: Secret<Buffer>, currentKeyId: string): KeyProvider {
  const key = createSecretKey(bytes.reveal())
  return {
    currentKeyId,
    wrap: async (dataKey, context) => ({ keyId: currentKeyId, wrapped: wrapWith(key, dataKey, context) }),
    unwrap: async (keyId, wrapped, context) => {
      if (keyId !== currentKeyId) throw noSuchKey()
      return unwrapWith(key, wrapped, context)
    },
  }
}

export function noSuchKey(): Error {
  return new Error('No such key-encryption key.')
}

/** As a key object, which shows nothing and costs each use half of what bytes do. */
function keyEncryptionKey(root: Secret<Buffer>, version: number): KeyObject {
  const info = `mintmark/v1/key-encryption-key/local:${version}`
  const bytes = Buffer.from(hkdfSync('sha256', root.reveal(), Buffer.alloc(0), info, 32))
  try {
    return createSecretKey(bytes)
  } finally {
    bytes.fill(0)
  }
}

/**
 * One AES key for each wrap, from the key-encryption key and a random salt. Random IVs under a single key are safe for
 * 2^32 uses only, and a thousand charges a second use those up in fifty days.
 */
function wrapKey(key: KeyObject, salt: Buffer): Buffer {
  return createHmac('sha256', key).update(salt).digest()
}

/** Layout: salt, sealed box. */
function wrapWith(key: KeyObject, dataKey: Buffer, context: Buffer): Buffer {
  const salt = randomBytes(SALT_BYTES)
  return withOneTimeKey(key, salt, (oneTimeKey) => Buffer.concat([salt, sealBox(oneTimeKey, dataKey, context)]))
}

function unwrapWith(key: KeyObject, wrapped: Buffer, context: Buffer): Buffer {
  const salt = wrapped.subarray(0, SALT_BYTES)
  return withOneTimeKey(key, salt, (oneTimeKey) => openBox(oneTimeKey, wrapped.subarray(SALT_BYTES), context))
}

function withOneTimeKey(key: KeyObject, salt: Buffer, work: (oneTimeKey: Buffer) => Buffer): Buffer {
  const oneTimeKey = wrapKey(key, salt)
  try {
    return work(oneTimeKey)
  } finally {
    oneTimeKey.fill(0)
  }
}
