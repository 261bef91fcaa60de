import { hkdfSync, randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { createKeyFile, readKeyFile } from '../platform/key-file.ts'
import {
  createSingleKeyProvider,
  type KeyProvider,
  KeyProviderUnavailable,
  noSuchKey,
} from '../platform/key-provider.ts'
import type { Secret } from '../platform/secret.ts'

// Key-encryption keys of 32 random bytes, each in a file beside the root key. The id of a key is made from it: a file
// with another key under the same name is noticed, and no id is ever used twice.

const FILE_KEY_ID = /^local:([0-9a-f]{16})$/

export function isFileKey(keyId: string): boolean {
  return FILE_KEY_ID.test(keyId)
}

/** Where the file of a key is, or has to be put. */
export function fileOfKey(rootKeyFile: string, keyId: string): string {
  const name = FILE_KEY_ID.exec(keyId)?.[1]
  if (name === undefined) throw noSuchKey()
  return join(dirname(rootKeyFile), `kek-${name}.key`)
}

/**
 * Makes a key in a new file, durably, and returns its id. One in 200 is not taken: its id holds so many digits in a row
 * that a log line could lose it as a card number, and with it which key has to be looked at.
 */
export async function createFileKey(
  rootKeyFile: string,
  draw = () => randomBytes(32),
): Promise<{ keyId: string; file: string }> {
  const bytes = draw()
  try {
    if (/\d{13}/.test(idOf(bytes))) return await createFileKey(rootKeyFile, draw)
    const keyId = idOf(bytes)
    const file = fileOfKey(rootKeyFile, keyId)
    await createKeyFile(file, bytes)
    return { keyId, file }
  } finally {
    bytes.fill(0)
  }
}

/**
 * The adapter of a key in a file. Reads it when it is first needed: the file may come to this machine later than its
 * row.
 */
export function createFileKeyProvider(rootKeyFile: string, keyId: string): KeyProvider {
  let loaded: KeyProvider | undefined
  const provider = async () => {
    loaded ??= createSingleKeyProvider(await readFileKey(rootKeyFile, keyId), keyId)
    return loaded
  }
  return {
    currentKeyId: keyId,
    wrap: async (dataKey, context) => (await provider()).wrap(dataKey, context),
    unwrap: async (asked, wrapped, context) => (await provider()).unwrap(asked, wrapped, context),
  }
}

/** A file that is missing or wrong says nothing of what the key wrapped: the operator can put the right one there. */
async function readFileKey(rootKeyFile: string, keyId: string): Promise<Secret<Buffer>> {
  const file = fileOfKey(rootKeyFile, keyId)
  const key = await readKeyFile(file).catch((cause: Error) => {
    throw new KeyProviderUnavailable(cause.message, { code: 'KEY_FILE_UNUSABLE', cause })
  })
  if (key === undefined) {
    throw new KeyProviderUnavailable(
      `The key file ${file} is missing. Copy it from a machine that has it, or from its backup.`,
      { code: 'KEY_FILE_MISSING' },
    )
  }
  if (idOf(key.reveal()) === keyId) return key
  throw new KeyProviderUnavailable(
    `The key file ${file} holds another key. Copy the right one from a machine that has it.`,
    { code: 'KEY_FILE_WRONG' },
  )
}

/** Says nothing of the key: 64 bits of a derived one that is used for nothing else. */
function idOf(key: Buffer): string {
  const id = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'mintmark/v1/key-encryption-key-id', 8))
  return `local:${id.toString('hex')}`
}
