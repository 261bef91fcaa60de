import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Account, closedDirectory, giveTo } from './account.ts'
import { EmbeddedPostgresError, errorCode } from './errors.ts'
import type { HomePaths } from './paths.ts'

/** A directory for the socket: its path for clients, its path for the server, and its removal. */
interface SocketDirectory {
  clientPath: string
  /** Value of `unix_socket_directories`. */
  serverPath: string
  remove(): Promise<void>
}

// sun_path holds 104 bytes on macOS and 108 on Linux, the closing zero included.
const MAX_SOCKET_PATH_BYTES = 103
const fits = (directory: string) => Buffer.byteLength(join(directory, '.s.PGSQL.5432')) <= MAX_SOCKET_PATH_BYTES

/** Makes an empty socket directory that only the account may enter. */
export async function makeSocketDirectory(paths: HomePaths, account: Account | undefined): Promise<SocketDirectory> {
  if (!fits(paths.sockets)) return makeShortDirectory(paths, account)
  await claimDirectory(paths.sockets, account)
  // Relative to the data directory: this works below directories that the account may not enter, and needs no quoting.
  return { clientPath: paths.sockets, serverPath: '../run', remove: () => emptyDirectory(paths.sockets) }
}

async function makeShortDirectory(paths: HomePaths, account: Account | undefined): Promise<SocketDirectory> {
  // Derived from the home, not random: a directory that a killed process left is found and used again.
  const name = `postgres-${createHash('sha256').update(paths.home).digest('hex').slice(0, 16)}`
  for (const parent of new Set([tmpdir(), '/tmp'])) {
    const directory = join(await realpath(parent).catch(() => parent), name)
    if (!fits(directory) || (account && (await closedDirectory(dirname(directory), account)))) continue
    await claimDirectory(directory, account)
    return {
      clientPath: directory,
      serverPath: `"${directory.replaceAll('"', '""')}"`,
      remove: () => rm(directory, { recursive: true, force: true }),
    }
  }
  throw new EmbeddedPostgresError(
    `The path ${paths.sockets} is too long for a socket and ${tmpdir()} cannot take its place: ` +
      'choose a home with a shorter path.',
  )
}

/**
 * An attacker may have made our directory in /tmp first, to answer in place of PostgreSQL and read the queries. So it
 * must be a real directory of the right owner; the sticky bit of /tmp then keeps other users from replacing it.
 */
async function claimDirectory(directory: string, account: Account | undefined): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
  const found = await lstat(directory)
  const self = process.getuid?.() ?? -1
  if (!found.isDirectory() || (found.uid !== self && found.uid !== account?.uid)) {
    throw new EmbeddedPostgresError(
      `${directory} should hold the database's socket but is not a directory of ours (owner: user id ${found.uid}): ` +
        'remove it, or choose a home with a shorter path.',
    )
  }
  await chmod(directory, 0o700)
  await emptyDirectory(directory)
  await giveTo(account, directory)
}

/**
 * PostgreSQL takes the socket lock of a dead server for a live one if its pid is reused. The home lock proves it is
 * dead.
 */
async function emptyDirectory(directory: string): Promise<void> {
  for (const entry of await readdir(directory)) await rm(join(directory, entry), { force: true })
}
