import { randomBytes } from 'node:crypto'
import { link, mkdir, open, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Secret, secret } from './secret.ts'

const KEY_BYTES = 32

/**
 * Reads a key of 32 bytes; undefined when there is no file. Throws when others can read it, or when it is no key. `what` names it
 * in the message.
 */
export async function readKeyFile(file: string, what = 'key'): Promise<Secret<Buffer> | undefined> {
  const handle = await open(file, 'r').catch(unless('ENOENT'))
  if (handle === undefined) return undefined
  try {
    // The mode is that of the open handle, not of the path: an attacker cannot replace the file between the check and the read.
    const { mode } = await handle.stat()
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new Error(`The ${what} file ${file} is open to other users. Run: chmod 600 on it, and rotate the key.`)
    }
    const bytes = await handle.readFile()
    if (bytes.length !== KEY_BYTES) {
      throw new Error(`The ${what} file ${file} must hold exactly ${KEY_BYTES} bytes, not ${bytes.length}.`)
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
export async function createKeyFile(file: string, bytes: Buffer): Promise<void> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `.${basename(file)}.${randomBytes(8).toString('hex')}`)
  await writeDurably(draft, bytes)
  try {
    await link(draft, file).catch(unless('EEXIST'))
    await syncFolder(folder)
  } finally {
    await unlink(draft)
  }
}

async function writeDurably(draft: string, bytes: Buffer): Promise<void> {
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes new names in a folder survive a power cut: data sealed under a key that one removes is lost. */
export async function syncFolder(folder: string): Promise<void> {
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
