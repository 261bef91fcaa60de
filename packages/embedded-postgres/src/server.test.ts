// Guarantee: one call gives a private PostgreSQL that leaks nothing and leaves nothing behind.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { runningConnection, startEmbedded } from './index.ts'
import { postgresProcessesIn } from './processes.ts'
import {
  cleanUpWith,
  IS_ROOT,
  run,
  startService,
  startServiceAs,
  stopLater,
  temporaryDirectory,
  temporaryHome,
} from './testing/harness.ts'

const CARD = '4111111111111111'

test('creates a cluster the first time, keeps it the next, and stops without a trace', async () => {
  const home = await temporaryHome()
  const first = stopLater(await startEmbedded({ home, name: 'shop' }))
  expect(first.connection).toMatchObject({ host: join(home, 'postgres/run'), user: 'shop', database: 'shop' })
  await run(first.connection, 'CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (7)')
  await first.stop()
  await first.stop()
  expect(existsSync(`/proc/${first.pid}`)).toBe(false)
  expect(existsSync(join(home, 'lock.pid'))).toBe(false)
  const second = stopLater(await startEmbedded({ home, name: 'shop' }))
  expect(await run(second.connection, 'SELECT n FROM kept')).toEqual([{ n: 7 }])
})

test('is reachable by its socket and password alone, and durable by default', async () => {
  const home = await temporaryHome()
  const { connection } = stopLater(await startEmbedded({ home, database: 'a "b"' }))
  const setting = async (name: string) => Object.values((await run(connection, `SHOW ${name}`))[0] as object)[0]
  expect(await setting('listen_addresses')).toBe('')
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums']) {
    expect([name, await setting(name)]).toEqual([name, 'on'])
  }
  expect(await setting('server_encoding')).toBe('UTF8')
  expect(await run(connection, 'SELECT datcollate FROM pg_database WHERE datname = current_database()')).toEqual([
    { datcollate: 'C' },
  ])
  expect(statSync(join(home, 'postgres/password')).mode & 0o777).toBe(0o600)
  expect(statSync(join(home, 'postgres/postgres.log')).mode & 0o777).toBe(0o600)
  expect(statSync(join(home, 'postgres/run')).mode & 0o777).toBe(0o700)
  expect(statSync(home).mode & 0o777).toBe(0o700)
  await expect(run({ ...connection, password: 'wrong' })).rejects.toThrow('password authentication failed')
})

test('is reached as it is whatever the environment says of other servers', async () => {
  const home = await temporaryHome()
  vi.stubEnv('PGSSLMODE', 'require')
  try {
    const { connection } = stopLater(await startEmbedded({ home }))
    expect(await run(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(await runningConnection(home)).toEqual(connection)
  } finally {
    vi.unstubAllEnvs()
  }
})

test('extra settings win, and log lines go to the caller', async () => {
  const home = await temporaryHome()
  const lines: string[] = []
  const postgres = stopLater(
    await startEmbedded({ home, settings: { fsync: 'off', max_connections: '12' }, log: (line) => lines.push(line) }),
  )
  expect(await run(postgres.connection, 'SHOW max_connections')).toEqual([{ max_connections: '12' }])
  expect(await run(postgres.connection, 'SHOW fsync')).toEqual([{ fsync: 'off' }])
  await postgres.stop()
  expect(lines.join('\n')).toContain('ready to accept connections')
  expect(existsSync(join(home, 'postgres/postgres.log'))).toBe(false)
})

test('no value of a statement reaches the log, not even inside an error', async () => {
  const home = await temporaryHome()
  const { connection } = stopLater(await startEmbedded({ home }))
  await run(connection, 'CREATE TABLE cards (pan text PRIMARY KEY)', `INSERT INTO cards VALUES ('${CARD}')`)
  const failing = [
    `INSERT INTO cards VALUES ('${CARD}')`,
    `SELECT 'x${CARD}'::int`,
    `SELECT ${CARD} FROM nowhere`,
    `DO $$ BEGIN RAISE EXCEPTION 'bad ${CARD}'; END $$`,
  ]
  for (const statement of failing) await expect(run(connection, statement)).rejects.toThrow()
  await run(connection, `DO $$ BEGIN RAISE WARNING 'odd ${CARD}'; END $$`)
  // A crash of one backend makes the server log what that backend was doing.
  await run(connection, `SELECT pg_terminate_backend(pg_backend_pid()), '${CARD}'`).catch(() => undefined)
  const log = readFileSync(join(home, 'postgres/postgres.log'), 'utf8')
  expect(log).toContain('ready to accept connections')
  expect(log).not.toContain(CARD)
})

test('a start that fails half-way says why in one line, and frees everything', async () => {
  const home = await temporaryHome()
  const failure = await startEmbedded({ home, settings: { shared_buffers: 'plenty' } }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
  expect(failure).toHaveProperty(
    'message',
    expect.stringMatching(/^[^\n]*did not start \(FATAL:.*shared_buffers.*see .*$/),
  )
  expect(await postgresProcessesIn(join(home, 'postgres/data'))).toEqual([])
  stopLater(await startEmbedded({ home }))
})

test('a home that cannot be made is reported with what to do', async () => {
  const directory = await temporaryDirectory()
  await writeFile(join(directory, 'file'), '')
  const failure = startEmbedded({ home: join(directory, 'file', 'home') })
  await expect(failure).rejects.toThrow(/^Cannot run PostgreSQL in .*ENOTDIR.*choose another home\.$/)
})

test('a lost or wrong password file is named', async () => {
  const home = await temporaryHome()
  await (await startEmbedded({ home })).stop()
  await writeFile(join(home, 'postgres/password'), 'another')
  await expect(startEmbedded({ home })).rejects.toThrow(/postgres\/password does not hold the password/)
  await rm(join(home, 'postgres/password'))
  await expect(startEmbedded({ home })).rejects.toThrow(/postgres\/password is missing/)
})

test('a home with a long path gets a private socket directory, removed at the end', async () => {
  const directory = await temporaryDirectory()
  const parent = join(directory, 'x'.repeat(60), 'é'.repeat(40))
  const home = join(parent, 'home')
  await mkdir(parent, { recursive: true })
  const postgres = stopLater(await startEmbedded({ home }))
  const { host } = postgres.connection
  expect(Buffer.byteLength(host)).toBeLessThan(88)
  expect(statSync(host).mode & 0o777).toBe(0o700)
  expect(await run(postgres.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await postgres.stop()
  expect(existsSync(host)).toBe(false)

  // An attacker knows the name: a link there, to a directory of theirs, must not be used.
  const trap = join(directory, 'trap')
  await mkdir(trap)
  await symlink(trap, host)
  cleanUpWith(() => rm(host, { force: true }))
  await expect(startEmbedded({ home })).rejects.toThrow(/is not a directory of ours/)
})

test('odd characters in the path of a home do no harm', async () => {
  const directory = await temporaryDirectory()
  const home = join(directory, `a, "b" 'c' $d`)
  const { connection } = stopLater(await startEmbedded({ home }))
  expect(await run(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

const SCHED_BATCH = 3
const HAS_CHRT = process.platform === 'linux' && spawnSync('chrt', ['-b', '0', 'true']).status === 0

test.runIf(HAS_CHRT)('who serves a connection does not interrupt who asks (needs chrt, a tool of Linux)', async () => {
  const { connection } = stopLater(await startEmbedded({ home: await temporaryHome() }))
  const [row] = (await run(connection, "SELECT pg_read_file('/proc/self/stat') AS stat")) as { stat: string }[]
  // The second field is the name, in brackets. The forty-first is the policy.
  const fields = row?.stat.split(/\) (?=\S )/)[1]?.split(' ') ?? []
  expect(Number(fields[41 - 3])).toBe(SCHED_BATCH)
})

test("a Ctrl-C that hits the service's process group leaves PostgreSQL up until the service stops it", async () => {
  const service = startService(await temporaryHome())
  const { connection, pid } = await service.started()
  process.kill(-service.pid, 'SIGINT')
  expect(await service.next()).toBe('draining')
  expect(await run(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  service.child.kill('SIGTERM')
  await service.ended()
  expect(existsSync(`/proc/${pid}`)).toBe(false)
})

test.skipIf(!IS_ROOT)('works as an ordinary user too (skipped unless root: the other tests show it then)', async () => {
  const directory = await temporaryDirectory()
  await chmod(directory, 0o777)
  const nobody = 65_534
  const service = await startServiceAs({ uid: nobody, gid: nobody }, join(directory, 'home'))
  const { connection, pid } = await service.started()
  expect(statSync(`/proc/${pid}`).uid).toBe(nobody)
  expect(await run(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  service.child.kill('SIGTERM')
  await service.ended()
})
