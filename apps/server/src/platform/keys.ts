import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { link, mkdir, open, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Secret, secret } from './secret.ts'

const ROOT_KEY_BYTES = 32

/** Where the root key is: under the program's home, or in a file the operator names. */
export type RootKeyPlace = { home: string } | { file: string }

/**
 * Reads the root key: 32 bytes that every other key comes from. With `createIfMissing` the first caller creates it.
 * Production passes false, and so does everyone beside a database with data: there a missing file is a mistake of the operator, and a new key would open nothing in the
 * database.
 */
export async function loadRootKey(options: RootKeyPlace & { createIfMissing: boolean }): Promise<Secret<Buffer>> {
  const file = rootKeyFile(options)
  const present = await readRootKey(file)
  if (present !== undefined) return present
  if (!options.createIfMissing) {
    throw new Error(
      `The root key file ${file} is missing. Restore it from its backup, or name it with ROOT_KEY_FILE; ` +
        'no other key opens the data.',
    )
  }
  await createRootKey(file)
  const created = await readRootKey(file)
  if (created === undefined) throw new Error(`The root key file ${file} vanished while it was being created.`)
  return created
}

export function rootKeyFile(place: RootKeyPlace): string {
  return 'file' in place ? place.file : join(place.home, 'keys', 'root.key')
}

async function readRootKey(file: string): Promise<Secret<Buffer> | undefined> {
  const handle = await open(file, 'r').catch(unless('ENOENT'))
  if (handle === undefined) return undefined
  try {
    // Of the open handle, not of the path: an attacker cannot replace the file between the check and the read.
    const { mode } = await handle.stat()
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new Error(`The root key file ${file} is open to other users. Run: chmod 600 on it, and rotate the key.`)
    }
    const bytes = await handle.readFile()
    if (bytes.length !== ROOT_KEY_BYTES) {
      throw new Error(`The root key file ${file} must hold exactly ${ROOT_KEY_BYTES} bytes, not ${bytes.length}.`)
    }
    return secret(bytes)
  } finally {
    await handle.close()
  }
}

/**
 * The key is written to a draft file, which is then linked: `link` refuses an existing name, so of two processes one
 * wins and both read its key, and no process sees half a key. With `rename` the second would replace the key of the
 * first.
 */
async function createRootKey(file: string): Promise<void> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `.root.key.${randomBytes(8).toString('hex')}`)
  await writeDurably(draft)
  try {
    await link(draft, file).catch(unless('EEXIST'))
    await syncFolder(folder)
  } finally {
    await unlink(draft)
  }
}

async function writeDurably(draft: string): Promise<void> {
  const bytes = randomBytes(ROOT_KEY_BYTES)
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    bytes.fill(0)
    await handle.close()
  }
}

/** The winner and the loser both wait for this: data sealed under a key that a power cut removes is lost. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Turns one expected system error into undefined. */
function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === code) return undefined
    throw error
  }
}

/**
 * What each derived key is for. The labels are part of the data: changing one makes every key hash, fingerprint or
 * token made with it unusable (pinned in `keys.test.ts`).
 */
const LABELS = {
  apiKeys: 'api-keys',
  fingerprints: 'fingerprints',
  sessionTokens: 'session-tokens',
  launchSecrets: 'launch-secrets',
  simulatedNetwork: 'simulated-network',
  softwareAuthenticator: 'software-authenticator',
  rowSeals: 'row-seals',
} as const

export type DerivedKeys = { [Use in keyof typeof LABELS]: Secret<Buffer> }

/** One independent key for each use, by HKDF-SHA256: a leaked key reveals nothing about another one or the root. */
export function deriveKeys(root: Secret<Buffer>): DerivedKeys {
  const derive = (label: string) =>
    secret(Buffer.from(hkdfSync('sha256', root.reveal(), Buffer.alloc(0), `mintmark/v1/${label}`, 32)))
  return Object.freeze({
    apiKeys: derive(LABELS.apiKeys),
    fingerprints: derive(LABELS.fingerprints),
    sessionTokens: derive(LABELS.sessionTokens),
    launchSecrets: derive(LABELS.launchSecrets),
    simulatedNetwork: derive(LABELS.simulatedNetwork),
    softwareAuthenticator: derive(LABELS.softwareAuthenticator),
    rowSeals: derive(LABELS.rowSeals),
  })
}

/**
 * What a database keeps to recognise its root key: a keyed hash, under a key that is used for nothing else. The label and
 * the text are part of the data, as above.
 */
export function rootKeyCheck(root: Secret<Buffer>): Buffer {
  const key = Buffer.from(hkdfSync('sha256', root.reveal(), Buffer.alloc(0), 'mintmark/v1/root-key-check', 32))
  return createHmac('sha256', key).update('root key of this database').digest()
}
