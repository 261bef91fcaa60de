import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import type { Account } from '../account.ts'
import { postgresProcessesIn, sendSignal } from '../processes.ts'
import { type EmbeddedConnection, type EmbeddedPostgres, startEmbedded } from '../server.ts'
import { OWN_PROGRAM, reachableProgram } from './reachable.ts'

/** Many of these tests need a second user, and only root can switch users. */
export const IS_ROOT = process.getuid?.() === 0
/** The user id that stands for "another user". */
export const STRANGER_ID = 12_345

/** Runs after the test, last registered first. */
export function cleanUpWith(cleanUp: () => unknown): void {
  onTestFinished(async () => void (await cleanUp()))
}

/** Makes a home with a cluster in it once, and copies of it: `initdb` is most of what a first start takes. */
export async function homeTemplate() {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'embedded-postgres-test-')))
  const template = join(directory, 'home')
  await (await startEmbedded({ home: template })).stop()
  return {
    async copy(): Promise<string> {
      const home = await temporaryHome()
      // With owners and modes, on which a start insists.
      await promisify(execFile)('cp', ['-a', template, home])
      return home
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** A fresh directory. PostgreSQL processes that still run in its subdirectory `home` are killed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'embedded-postgres-test-')))
  cleanUpWith(async () => {
    const running = await postgresProcessesIn(join(directory, 'home', 'postgres', 'data')).catch(() => [])
    for (const pid of running) sendSignal(pid, 'SIGKILL')
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  })
  return directory
}

/** A path for a home, not made yet. */
export async function temporaryHome(): Promise<string> {
  return join(await temporaryDirectory(), 'home')
}

/** Stops it after the test, also after a failed one. */
export function stopLater(postgres: EmbeddedPostgres): EmbeddedPostgres {
  cleanUpWith(() => postgres.stop())
  return postgres
}

/** Runs statements on one connection. Returns the rows of the last. */
export async function run(connection: EmbeddedConnection, ...statements: string[]): Promise<unknown[]> {
  const client = new pg.Client(connection)
  client.on('error', () => undefined)
  await client.connect()
  try {
    let rows: unknown[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** What a service under test prints when it runs. */
interface Started {
  connection: EmbeddedConnection
  pid: number
}

/** A service in a process of its own, to be killed. */
interface Service {
  child: ChildProcess
  pid: number
  /** The next line it prints. */
  next(): Promise<unknown>
  /** The next line, which must report that it runs. */
  started(): Promise<Started>
  ended(): Promise<void>
}

/** The same as another user, who may have no way into the checkout. */
export async function startServiceAs(user: Account, home: string): Promise<Service> {
  const program = await reachableProgram(user)
  cleanUpWith(() => program.directory && rm(program.directory, { recursive: true, force: true }))
  return startService(home, program, user)
}

/** Starts `service.ts` on a home, in a process group of its own, as a terminal would. */
export function startService(home: string, { node, script } = OWN_PROGRAM, user: Partial<Account> = {}): Service {
  const child = spawn(node, [script, home], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    ...user,
  })
  const end = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  cleanUpWith(() => child.exitCode === null && child.signalCode === null && child.kill('SIGKILL') && end)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value ?? 'null') as unknown
  return {
    child,
    pid: child.pid ?? 0,
    next,
    async started() {
      const said = await next()
      if (typeof said === 'object' && said !== null && 'connection' in said) return said as Started
      throw new Error(`The service did not start: ${JSON.stringify(said)}`)
    },
    ended: () => end,
  }
}
