import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { Failure } from '../failure.ts'
import { createFile, readOwnFile } from './home.ts'

/** The key of a file, Ed25519. Undefined: there is no file. */
export async function readKey(path: string): Promise<KeyObject | undefined> {
  const text = await readOwnFile(path, 'KEY_FILE_OPEN')
  if (text === undefined) return undefined
  let key: KeyObject
  try {
    key = createPrivateKey(text)
  } catch {
    // Without the cause: it may say what is in the file.
    throw new Failure('KEY_UNREADABLE', `${path} is no private key in PEM.`)
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new Failure('KEY_UNREADABLE', `${path} is no key of Ed25519.`)
  return key
}

/** A new key in a new file, on the disk before the server hears of it. */
export async function makeKey(path: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const file = await createFile(path)
  try {
    await file.writeFile(privateKey.export({ format: 'pem', type: 'pkcs8' }))
    await file.sync()
  } finally {
    await file.close()
  }
  return privateKey
}

/** RFC 7638. */
export function thumbprintOf(key: KeyObject): string {
  const { crv, kty, x } = createPublicKey(key).export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')
}
