import { chown, lchown, readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EmbeddedPostgresError, errorCode } from './errors.ts'
import { SYSTEM_FILES, type SystemFiles, unusedAccount } from './unused-account.ts'

/** The unprivileged user PostgreSQL runs as when the service is root. */
export interface Account {
  uid: number
  gid: number
  /** The account that makes the data directory, where that must be another one. */
  creator?: Account
}

/**
 * The account PostgreSQL runs as; undefined: the current user. PostgreSQL refuses to run as root, so root drops to the
 * owner of an existing data directory, or else to a user id that nothing else has, or, where the system has none to give,
 * to the user `nobody`.
 */
export async function chooseAccount(
  dataDirectory?: string,
  files: SystemFiles = SYSTEM_FILES,
): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = dataDirectory === undefined ? undefined : await ownerOf(dataDirectory)
  if (owner && owner.uid !== 0) return owner
  const account =
    (await unusedAccount(dataDirectory ?? '', files)) ??
    findNobody(await readFile(files.passwd, 'utf8').catch(() => ''))
  if (account) return account
  throw new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root and ${files.passwd} has no user "nobody" to drop to: ` +
      'start as an ordinary user, or use your own PostgreSQL.',
  )
}

/** Reads uid and gid of `nobody` from the text of a passwd file. */
export function findNobody(passwd: string): Account | undefined {
  const fields = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(passwd)
  if (!fields) return undefined
  // macOS writes -2 for 4294967294: system calls want the unsigned spelling.
  return { uid: Number(fields[1]) >>> 0, gid: Number(fields[2]) >>> 0 }
}

/** Spawn options that drop to the account. libuv expects int32 here, and also empties the supplementary groups. */
export function asAccount(account: Account | undefined): { uid?: number; gid?: number } {
  return account ? { uid: account.uid | 0, gid: account.gid | 0 } : {}
}

/** Makes the account the owner of one file or directory that this process has just created. */
export async function giveTo(account: Account | undefined, path: string): Promise<void> {
  if (account) await lchown(path, account.uid, account.gid)
}

/**
 * Checks that the account owns the data directory. A directory that root restored from a backup is given to the
 * account; a directory of another user is an error that names the owner.
 */
export async function checkOwner(directory: string, account: Account | undefined): Promise<void> {
  const owner = await ownerOf(directory)
  if (!owner) return
  if (account) {
    // Only a tree that root owns is walked: no other user can replace its entries while this runs.
    if (owner.uid === 0) await giveTree(directory, account)
    return
  }
  const uid = process.getuid?.()
  if (owner.uid === uid) return
  throw new EmbeddedPostgresError(
    `${directory} belongs to user id ${owner.uid}, not to ${uid} (was it once started as root?): ` +
      `run "sudo chown -R ${uid} ${dirname(dirname(directory))}", or choose another home.`,
  )
}

/**
 * Contents first, the top directory last: after an interruption the next start does all of it again. Only for a tree that
 * no other user can change meanwhile.
 */
export async function giveTree(directory: string, account: Account): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) await giveTree(path, account)
    else await lchown(path, account.uid, account.gid)
  }
  await chown(directory, account.uid, account.gid)
}

/** The first directory on the path from / that the account may not enter, if any. */
export async function closedDirectory(path: string, account: Account): Promise<string | undefined> {
  const parent = dirname(path)
  const above = parent === path ? undefined : await closedDirectory(parent, account)
  if (above !== undefined) return above
  const { uid, gid, mode } = await stat(path)
  const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
  return mode & bit ? undefined : path
}

async function ownerOf(path: string): Promise<Account | undefined> {
  try {
    const { uid, gid } = await stat(path)
    return { uid, gid }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
