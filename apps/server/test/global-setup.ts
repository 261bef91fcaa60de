import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbedded } from '@mintmark/embedded-postgres'
import { fastDirectory } from '@mintmark/embedded-postgres/testing/fast-directory'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { migrate } from '../src/db/migrate.ts'
import { closePool, createPool } from '../src/db/pool.ts'
import { checkServer } from '../src/db/server.ts'
import { accountOf } from './accounts.ts'
import { type ConnectionParts, withAdmin } from './database.ts'
import { openRunDirectory } from './once-a-run.ts'

// One PostgreSQL server and one migrated template database for all test files of a run; `createTestDatabase` clones it.
// The server is an embedded one, or that of TEST_DATABASE_URL (its user must be a superuser).

interface Server {
  kind: string
  admin: ConnectionParts
  stop(): Promise<void>
}

const HOME_PREFIX = 'mintmark-run-'
const HOME_NAME = /^mintmark-run-(\d+)-\w{6}$/
const SILENT = { warn: () => {} }

/** Speed only: a test that needs a server to survive a crash starts one of its own. */
const FAST_AND_FORGETFUL = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '200',
}

/** Vitest calls this once before all test files, and what it returns once after them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = performance.now()
  const removeRunDirectory = await openRunDirectory(isAlive)
  const url = process.env.TEST_DATABASE_URL
  const server = url ? await useServer(url) : await startServer()
  const run = randomBytes(4).toString('hex')
  const template = `mintmark_template_${run}`
  const clonePrefix = `mintmark_test_${run}_`
  try {
    const guard = await guardRun(server.admin, run)
    const version = await createTemplate(server.admin, template)
    project.provide('testServer', { admin: server.admin, template, clonePrefix })
    const millis = Math.round(performance.now() - started)
    process.stdout.write(`Tests run on PostgreSQL ${version} (${server.kind}), ready in ${millis} ms.\n`)
    return () => tearDown({ server, guard, template, clonePrefix }).finally(removeRunDirectory)
  } catch (error) {
    await server.stop()
    throw error
  }
}

interface Run {
  server: Server
  guard: Client
  template: string
  clonePrefix: string
}

async function tearDown({ server, guard, template, clonePrefix }: Run): Promise<void> {
  try {
    const leaked = await findDatabases(guard, clonePrefix)
    for (const name of [...leaked, template]) await dropDatabase(guard, name)
    if (leaked.length === 0) return
    // The run fails, not only this step: the reporter has already spoken by now.
    process.exitCode = 1
    throw new Error(`Test databases were never closed (file and a random part): ${leaked.join(', ')}.`)
  } finally {
    await guard.end()
    await server.stop()
  }
}

async function startServer(): Promise<Server> {
  await removeOrphanedHomes()
  const home = await mkdtemp(join(fastDirectory(), `${HOME_PREFIX}${process.pid}-`))
  const removeHome = () => removeDirectory(home)
  const server = await startEmbedded({ home, settings: FAST_AND_FORGETFUL })
  await hashPasswordOnce(server.connection)
  // An interrupted run exits without teardown. The embedded server has its own exit hook, registered before this one.
  process.once('exit', removeHome)
  return {
    kind: 'embedded',
    admin: server.connection,
    async stop() {
      accountOf('(the server of all databases)', server.pid)
      accountOf('(vitest itself, and workers that have ended)', 'self')
      await server.stop()
      process.off('exit', removeHome)
      removeHome()
    },
  }
}

/** Each of some thousand connections would hash it 4,096 times, to keep those from guessing who have a copy of it. */
async function hashPasswordOnce(admin: ConnectionParts): Promise<void> {
  await withAdmin(admin, async (client) => {
    await client.query('set scram_iterations = 1')
    await client.query(
      `alter role ${client.escapeIdentifier(admin.user)} password ${client.escapeLiteral(admin.password)}`,
    )
  })
}

/** A run that was killed leaves its home and a server in it: starting that home again ends the old server. */
async function removeOrphanedHomes(): Promise<void> {
  const directory = fastDirectory()
  for (const name of await readdir(directory)) {
    const pid = Number(HOME_NAME.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid) || isAlive(pid)) continue
    const home = join(directory, name)
    try {
      await (await startEmbedded({ home, settings: FAST_AND_FORGETFUL, log: () => {} })).stop()
      removeDirectory(home)
    } catch {
      // Another user's, or in use after all; it costs only space.
    }
  }
}

/**
 * Synchronous, for the exit hook, where a server that is shutting down still writes a file or two. `rmSync` with
 * `force` keeps silent about a directory it found not empty.
 */
function removeDirectory(directory: string): void {
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    rmSync(directory, { recursive: true, force: true })
    if (!existsSync(directory)) return
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function useServer(url: string): Promise<Server> {
  // Connects to nothing: the driver only reads the URL.
  const { host, port, user, password, database } = new Client(url)
  const admin = {
    host: host || 'localhost',
    port,
    user: user || 'postgres',
    password: password || '',
    database: database || 'postgres',
  }
  await dropOrphanedDatabases(admin)
  return { kind: 'TEST_DATABASE_URL', admin, stop: async () => {} }
}

/**
 * Holds a connection named after the run for as long as it lives. The server drops it however the run ends, so the next
 * run knows which databases are not used any more.
 */
async function guardRun(admin: ConnectionParts, run: string): Promise<Client> {
  const guard = new Client({ ...admin, application_name: `mintmark-tests-${run}` })
  guard.on('error', () => {})
  await guard.connect()
  return guard
}

async function dropOrphanedDatabases(admin: ConnectionParts): Promise<void> {
  await withAdmin(admin, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database
       where datname ~ '^mintmark_(template|test)_[0-9a-f]{8}(_|$)'
         and not exists (select 1 from pg_stat_activity
                         where application_name = 'mintmark-tests-' || substring(datname from '_([0-9a-f]{8})'))`,
    )
    for (const { name } of rows) await dropDatabase(client, name)
  })
}

async function createTemplate(admin: ConnectionParts, template: string): Promise<string> {
  await withAdmin(admin, (client) => client.query(`create database ${template} template template0 encoding 'UTF8'`))
  const pool = createPool({ connection: { ...admin, database: template }, max: 1, log: SILENT })
  try {
    const { version } = await checkServer(pool)
    await migrate(pool)
    return version
  } finally {
    await closePool(pool)
  }
}

async function findDatabases(client: Client, prefix: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select datname as name from pg_database where starts_with(datname, $1) order by datname',
    [prefix],
  )
  return rows.map(({ name }) => name)
}

async function dropDatabase(client: Client, name: string): Promise<void> {
  await client.query(`drop database if exists ${name} with (force)`)
}
