import { readFile, stat } from 'node:fs/promises'
import pg from 'pg'
import { checkOwner, chooseAccount } from './account.ts'
import { findBinaries, locatePackage } from './binaries.ts'
import { ensureCluster } from './cluster.ts'
import { writeConfiguration } from './configuration.ts'
import { EmbeddedPostgresError, errorCode, explainStartFailure, oneLine } from './errors.ts'
import { acquireHomeLock } from './home-lock.ts'
import { clearLeftovers } from './leftovers.ts'
import { closeDataDirectory, type HomePaths, makeRoot, openHome, pathsOf, writeDurably } from './paths.ts'
import { launchPostmaster, type Postmaster, stopPostmaster, waitUntilReady, yieldToCallers } from './postmaster.ts'
import { SOCKET_PORT, serverSettings } from './settings.ts'
import { makeSocketDirectory } from './socket-directory.ts'

/** What `pg.Pool` needs to connect to the embedded server. */
export interface EmbeddedConnection {
  /** The directory of the unix socket. */
  host: string
  port: number
  user: string
  password: string
  database: string
  /** Said, or PGSSLMODE of the environment would decide, and the server speaks no TLS. */
  ssl: false
}

/** A running PostgreSQL that belongs to this process. */
export interface EmbeddedPostgres {
  connection: EmbeddedConnection
  pid: number
  /** Resolves with a message if PostgreSQL ends by itself. Never resolves after `stop`. */
  exited: Promise<string>
  /** Stops PostgreSQL, waits for it, and frees the home. Close pools first: open connections are cut. */
  stop(): Promise<void>
}

/** How to run the embedded PostgreSQL. */
export interface EmbeddedOptions {
  /** The directory that holds the data, the password, the socket and the log. One process at a time uses it. */
  home: string
  /** The name of the superuser, of the cluster and of the database. Default: `postgres`. It must not change later. */
  name?: string
  /** Extra server settings, such as `{ fsync: 'off' }` in tests. */
  settings?: Record<string, string>
  /** Receives the server's log lines instead of `home/postgres/postgres.log`. */
  log?: (line: string) => void
  /** Created if it is missing. Default: `name`. */
  database?: string
}

/**
 * How to connect to the server that another process runs in this home. Undefined when no server was ever started there;
 * connecting shows whether it runs now.
 */
export async function runningConnection(home: string, name = DEFAULT_NAME): Promise<EmbeddedConnection | undefined> {
  const paths = await openHome(home)
  try {
    const [host, password] = await Promise.all([readFile(paths.socketName, 'utf8'), readFile(paths.password, 'utf8')])
    return { host, port: SOCKET_PORT, user: name, password: password.trim(), database: name, ssl: false }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Whether a database was ever made in this home. Makes nothing, and is false only where there is certainly none. */
export async function hasDatabase(home: string): Promise<boolean> {
  return stat(pathsOf(home).data).then(
    () => true,
    (error: unknown) => errorCode(error) !== 'ENOENT',
  )
}

const DEFAULT_NAME = 'postgres'

type CleanUp = () => unknown

/**
 * Starts PostgreSQL 18 in a home: creates the cluster the first time, cleans up after a killed process, and returns
 * once the database accepts queries. Throws `HomeInUseError` if another process uses the home.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cleanUps: CleanUp[] = []
  try {
    return await start(options, cleanUps)
  } catch (error) {
    // The operator needs the first cause. If the clean-up fails too, the next start repairs that.
    await runCleanUps(cleanUps).catch(() => undefined)
    throw explainStartFailure(error, options.home)
  }
}

async function start(options: EmbeddedOptions, cleanUps: CleanUp[]): Promise<EmbeddedPostgres> {
  const source = locatePackage()
  const paths = await openHome(options.home)
  const lock = await acquireHomeLock(paths.home)
  cleanUps.push(() => lock.release())

  const account = await chooseAccount(paths.data)
  const { bin } = await findBinaries(account, source)
  await makeRoot(paths, account)
  await clearLeftovers(paths)
  await checkOwner(paths.data, account)
  await closeDataDirectory(paths)
  const user = options.name ?? DEFAULT_NAME
  const durable = options.settings?.fsync !== 'off'
  const password = await ensureCluster({ bin, paths, account, user, durable })
  const sockets = await makeSocketDirectory(paths, account)
  cleanUps.push(() => sockets.remove())

  const files = await writeConfiguration(paths, account)
  const settings = serverSettings(user, sockets.serverPath, files, options.settings)
  const postmaster = await launchPostmaster({ bin, paths, account, settings, log: options.log })
  cleanUps.push(() => stopPostmaster(postmaster, paths))
  await Promise.all([waitUntilReady(postmaster, paths), yieldToCallers(postmaster)])
  const database = options.database ?? user
  const connection = { host: sockets.clientPath, port: SOCKET_PORT, user, password, database, ssl: false } as const
  await writeDurably(paths.socketName, sockets.clientPath)
  await ensureDatabase(connection, paths)
  return handle(connection, postmaster, paths, cleanUps)
}

function handle(
  connection: EmbeddedConnection,
  postmaster: Postmaster,
  paths: HomePaths,
  cleanUps: CleanUp[],
): EmbeddedPostgres {
  let stopped: Promise<void> | undefined
  const exited = new Promise<string>((resolve) => {
    postmaster.ended.then((how) => {
      if (stopped) return
      resolve(
        `PostgreSQL (pid ${postmaster.pid}) ended by itself (${how}): see ${paths.log}; ` +
          'start again, it recovers what was committed.',
      )
    })
  })
  const stop = () => {
    stopped ??= runCleanUps(cleanUps)
    return stopped
  }
  return { connection: Object.freeze(connection), pid: postmaster.pid, exited, stop }
}

/** Runs in reverse order. A step that fails does not keep the others from running. */
async function runCleanUps(cleanUps: CleanUp[]): Promise<void> {
  const failures: unknown[] = []
  for (const cleanUp of cleanUps.splice(0).reverse()) {
    try {
      await cleanUp()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

const INVALID_PASSWORD = '28P01'

/** Creates the database if it is missing. The question also proves that the server accepts our password. */
async function ensureDatabase(connection: EmbeddedConnection, paths: HomePaths): Promise<void> {
  const { database } = connection
  try {
    const found = await query(connection, 'SELECT 1 FROM pg_database WHERE datname = $1', [database])
    if (found === 0) await query(connection, `CREATE DATABASE ${pg.escapeIdentifier(database)}`)
  } catch (error) {
    const wrongPassword = error instanceof pg.DatabaseError && error.code === INVALID_PASSWORD
    throw new EmbeddedPostgresError(
      wrongPassword
        ? `${paths.password} does not hold the password of the database beside it: put back the file from the same ` +
            'backup as the data.'
        : `PostgreSQL in ${paths.data} runs but refuses us (${oneLine(error)}): see ${paths.log}.`,
      { cause: error },
    )
  }
}

/** Runs one statement in the maintenance database. Returns its row count. */
async function query(connection: EmbeddedConnection, text: string, values: string[] = []): Promise<number> {
  const client = new pg.Client({ ...connection, database: 'postgres', connectionTimeoutMillis: 30_000 })
  // Without a listener, a server that dies meanwhile would crash this process instead of failing the query.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rowCount } = await client.query(text, values)
    return rowCount ?? 0
  } finally {
    await client.end()
  }
}
