import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Account, closedDirectory, giveTo } from './account.ts'
import { EmbeddedPostgresError, errorCode } from './errors.ts'
import type { HomePaths } from './paths.ts'

/** A directory for the socket: its name for clients, its name for the server, and its removal. */
export interface SocketDirectory {
  readonly clientPath: string
  /** Value of `unix_socket_directories`. */
  readonly serverPath: string
  remove(): Promise<void>
}

// sun_path holds 104 bytes on macOS and 108 on Linux, the closing zero included.
const socketPathLimit = 103
const fits = (directory: string) => Buffer.byteLength(join(directory, '.s.PGSQL.5432')) <= socketPathLimit

/** Makes an empty socket directory that only the account may enter. */
export async function makeSocketDirectory(paths: HomePaths, account: Account | undefined): Promise<SocketDirectory> {
  if (!fits(paths.sockets)) return makeShortDirectory(paths, account)
  await claimDirectory(paths.sockets, account)
  // Relative to the data directory: works below directories that are closed to the account, and needs no quoting.
  return { clientPath: paths.sockets, serverPath: '../run', remove: () => emptyDirectory(paths.sockets) }
}

async function makeShortDirectory(paths: HomePaths, account: Account | undefined): Promise<SocketDirectory> {
  // Derived from the home, not random: what a killed service left is found and reused.
  const name = `mintmark-${createHash('sha256').update(paths.home).digest('hex').slice(0, 16)}`
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
      'set MINTMARK_HOME to a shorter path.',
  )
}

/**
 * Another user may have made our directory in /tmp first, to answer in PostgreSQL's place and read the queries: it must
 * be a real directory of the right owner. The sticky bit of /tmp then keeps others from replacing it.
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
        'remove it, or set a shorter MINTMARK_HOME.',
    )
  }
  await chmod(directory, 0o700)
  await emptyDirectory(directory)
  await giveTo(account, directory)
}

/** PostgreSQL takes the socket lock of a dead server for live if its pid is reused; the home lock says nobody is. */
async function emptyDirectory(directory: string): Promise<void> {
  for (const entry of await readdir(directory)) await rm(join(directory, entry), { force: true })
}
