import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, asAccount, closedDirectory, giveTo, giveTree } from './account.ts'
import { CLEAN_ENVIRONMENT } from './binaries.ts'
import { EmbeddedPostgresError, errorCode, oneLine } from './errors.ts'
import { type HomePaths, syncDirectory, writeDurably } from './paths.ts'

/** What `ensureCluster` needs to know. */
interface NewCluster {
  bin: string
  paths: HomePaths
  account: Account | undefined
  /** The one role of the cluster, a superuser. */
  user: string
  /** Whether the files must survive a power cut. */
  durable: boolean
}

/**
 * The path by which PostgreSQL's programs find the data directory they are started in.
 *
 * The unprivileged account may not be allowed to enter the directories above root's home. But `spawn` changes the
 * working directory before it drops to the account, every backend inherits it, and the kernel's link to it needs no
 * permission. A plain "." does not work: PostgreSQL makes it absolute.
 */
export async function dataArgument(directory: string, account: Account | undefined): Promise<string> {
  if (!account) return directory
  if (process.platform === 'linux') return '/proc/self/cwd'
  const closed = await closedDirectory(directory, account)
  if (closed === undefined) return directory
  throw new EmbeddedPostgresError(
    `PostgreSQL, which may not run as root, cannot enter ${closed}: ` +
      'start as an ordinary user, or choose a home below directories that every user may enter.',
  )
}

/** Creates the cluster if there is none. Returns the superuser's password. */
export async function ensureCluster(cluster: NewCluster): Promise<string> {
  const { paths, account } = cluster
  const creator = account?.creator ?? account
  if (existsSync(paths.data)) return readPassword(paths)
  // In the same directory as its final place, so that the rename is one step: an interrupted initdb never looks like a
  // finished cluster.
  const staging = join(paths.root, `init-${randomUUID()}`)
  const data = join(staging, 'data')
  const password = randomBytes(24).toString('base64url')
  try {
    for (const directory of [staging, data]) {
      await mkdir(directory, { mode: 0o700 })
      await giveTo(creator, directory)
    }
    await writeFile(join(staging, 'password'), password, { mode: 0o600, flag: 'wx' })
    await giveTo(creator, join(staging, 'password'))
    await runInitdb({ ...cluster, account: creator }, data)
    // The creator has no process but those of initdb, which have ended.
    if (account?.creator) await giveTree(data, account)
    // The password first: a cluster without its password would be lost, a password without a cluster is overwritten.
    await writeDurably(paths.password, password)
    await rename(data, paths.data)
    await syncDirectory(paths.root)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  return password
}

async function readPassword(paths: HomePaths): Promise<string> {
  try {
    await chmod(paths.password, 0o600)
    return await readFile(paths.password, 'utf8')
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    throw new EmbeddedPostgresError(
      `${paths.password} is missing but there is a database beside it: put the file back from your backup, ` +
        `or, to start empty, move ${paths.root} away.`,
      { cause: error },
    )
  }
}

async function runInitdb({ bin, account, user, durable }: NewCluster, data: string): Promise<void> {
  const options = ['--username', user, '--auth', 'scram-sha-256', '--pwfile', '../password']
  const format = ['--encoding', 'UTF8', '--locale', 'C', '--no-instructions']
  // The final sync costs 80 ms on an SSD and is kept where data must last: later checkpoints do not write these files.
  const args = ['-D', await dataArgument(data, account), ...options, ...format, ...(durable ? [] : ['--no-sync'])]
  const child = spawn(join(bin, 'initdb'), args, {
    cwd: data,
    env: CLEAN_ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe'],
    // Its own process group, like the server's: a Ctrl-C in the terminal must not reach it.
    detached: true,
    ...asAccount(account),
  })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const code = await new Promise<number | string | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode, signal) => resolve(signal ?? exitCode))
  })
  if (code === 0) return
  const line = complaint.split('\n').find((text) => /error|FATAL|could not|PANIC/i.test(text)) ?? complaint
  throw new EmbeddedPostgresError(
    `Cannot create the database in ${join(data, '..', '..')} (initdb ended with ${code}: ${oneLine(line)}): ${adviceOn(line)}`,
  )
}

function adviceOn(complaint: string): string {
  // Containers may run as a user id that has no name; PostgreSQL requires a name.
  if (complaint.includes('could not look up effective user ID')) {
    return 'add this user id to /etc/passwd, run as a user that is there, or use your own PostgreSQL.'
  }
  return 'check free disk space and permissions, or use your own PostgreSQL.'
}
