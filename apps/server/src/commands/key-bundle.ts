import { randomBytes, scrypt } from 'node:crypto'
import { open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createKeyFile, readKeyFile } from '../platform/key-file.ts'
import { openBox, sealBox } from '../platform/sealed-box.ts'
import { type Secret, secret } from '../platform/secret.ts'

// All key files of a machine in one file under a passphrase. Layout: magic, salt (16), sealed box of JSON.

const MAGIC = Buffer.from('mintmark keys 1\n', 'latin1')
const SALT_BYTES = 16
const MIN_PASSPHRASE_LENGTH = 16
/** 128 MB and a good part of a second for each guess. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }
const ROOT_NAME = 'root.key'
const KEY_FILE = /^(?:root|kek-[0-9a-f]{16})\.key$/

/** Name of each file, and its key. */
export type KeyBundle = Map<string, Secret<Buffer>>

const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt)

/** The root key and every key file beside it, those of retired keys included: older backups need them. */
export async function collectKeys(rootKeyFile: string, rootKey: Secret<Buffer>): Promise<KeyBundle> {
  const bundle: KeyBundle = new Map([[ROOT_NAME, rootKey]])
  const folder = dirname(rootKeyFile)
  for (const name of (await readdir(folder)).sort()) {
    if (!KEY_FILE.test(name) || name === ROOT_NAME || name === basename(rootKeyFile)) continue
    const key = await readKeyFile(join(folder, name))
    if (key !== undefined) bundle.set(name, key)
  }
  return bundle
}

/** What would keep the keys from being written: said before the backup is, whose file would be in the way of the next try. */
export async function checkKeyBundle(file: string, passphraseFile: string): Promise<void> {
  await readPassphrase(passphraseFile)
  const [present, folder] = await Promise.all([file, dirname(file)].map((path) => stat(path).catch(() => undefined)))
  if (present !== undefined || folder === undefined) throw cannotBeMade(file)
}

export async function writeKeyBundle(file: string, passphraseFile: string, bundle: KeyBundle): Promise<void> {
  const salt = randomBytes(SALT_BYTES)
  const key = await derive(await readPassphrase(passphraseFile), salt, 32, COST)
  const files = Object.fromEntries([...bundle].map(([name, value]) => [name, value.reveal().toString('base64')]))
  const plain = Buffer.from(JSON.stringify(files), 'utf8')
  const handle = await open(file, 'wx', 0o600).catch((cause: unknown) => {
    throw cannotBeMade(file, cause)
  })
  try {
    await handle.writeFile(Buffer.concat([MAGIC, salt, sealBox(key, plain, MAGIC)]))
    await handle.sync()
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    plain.fill(0)
    key.fill(0)
    await handle.close()
  }
}

function cannotBeMade(file: string, cause?: unknown): Error {
  return new Error(`${file} cannot be made: it exists, or its directory does not.`, { cause })
}

export async function readKeyBundle(file: string, passphraseFile: string): Promise<KeyBundle> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new Error(`${file} cannot be read.`, { cause })
  })
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error(`${file} holds no keys of Mintmark.`)
  const boxAt = MAGIC.length + SALT_BYTES
  const key = await derive(await readPassphrase(passphraseFile), bytes.subarray(MAGIC.length, boxAt), 32, COST)
  try {
    const files: Record<string, string> = JSON.parse(openBox(key, bytes.subarray(boxAt), MAGIC).toString('utf8'))
    return new Map(Object.entries(files).map(([name, text]) => [name, secret(Buffer.from(text, 'base64'))]))
  } catch (cause) {
    throw new Error(`${file} does not open: the passphrase is another one, or the file is cut or damaged.`, { cause })
  } finally {
    key.fill(0)
  }
}

export function rootKeyOf(bundle: KeyBundle): Secret<Buffer> {
  const root = bundle.get(ROOT_NAME)
  if (root === undefined) throw new Error('The keys have no root key among them.')
  return root
}

/** Puts the files where a home has them. */
export async function writeKeyFiles(home: string, bundle: KeyBundle): Promise<void> {
  for (const [name, key] of bundle) {
    if (KEY_FILE.test(name)) await createKeyFile(join(home, 'keys', name), key.reveal())
  }
}

async function readPassphrase(file: string): Promise<string> {
  const text = (
    await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new Error(`The passphrase file ${file} cannot be read.`, { cause })
    })
  ).replace(/\r?\n$/, '')
  if (text.length >= MIN_PASSPHRASE_LENGTH) return text
  throw new Error(`The passphrase in ${file} must have at least ${MIN_PASSPHRASE_LENGTH} characters.`)
}
