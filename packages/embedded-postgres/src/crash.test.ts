// Guarantee: after any process was killed, the next start works, and no committed row is lost.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asAccount, chooseAccount } from './account.ts'
import { startEmbedded } from './index.ts'
import { clearLeftovers } from './leftovers.ts'
import { openHome } from './paths.ts'
import { isAlive, postgresProcessesIn, waitUntil } from './processes.ts'
import { cleanUpWith, homeTemplate, run, startService, stopLater, temporaryHome } from './testing/harness.ts'

let homes: Awaited<ReturnType<typeof homeTemplate>>
beforeAll(async () => {
  homes = await homeTemplate()
})
afterAll(() => homes?.remove())

const dataOf = (home: string) => join(home, 'postgres', 'data')
/** It never looks at its latch, so it does not notice by itself that the server died. */
const BUSY = 'SELECT count(*) FROM generate_series(1, 1000000000000)'

test('after a SIGKILL of the service, the next start ends the orphaned server and keeps committed rows', async () => {
  const home = await homes.copy()
  const service = startService(home)
  const { connection, pid } = await service.started()
  await run(connection, 'CREATE TABLE kept (n int)', 'INSERT INTO kept SELECT generate_series(1, 1000)')
  run(connection, 'BEGIN', 'INSERT INTO kept VALUES (-1)', BUSY).catch(() => undefined)
  service.child.kill('SIGKILL')
  await service.ended()
  expect(isAlive(pid)).toBe(true)

  const next = stopLater(await startEmbedded({ home }))
  expect(next.pid).not.toBe(pid)
  expect(existsSync(`/proc/${pid}/cwd`)).toBe(false)
  expect(await run(next.connection, 'SELECT count(*)::int AS n, min(n) FROM kept')).toEqual([{ n: 1000, min: 1 }])
})

test('an orphan that hangs is ended too', async () => {
  const home = await homes.copy()
  const service = startService(home)
  const { connection, pid } = await service.started()
  await run(connection, 'CREATE TABLE kept AS SELECT 1 AS n')
  service.child.kill('SIGKILL')
  await service.ended()
  process.kill(pid, 'SIGSTOP')
  await clearLeftovers(await openHome(home), { fastMillis: 300, immediateMillis: 300, killMillis: 5_000 })
  const next = stopLater(await startEmbedded({ home }))
  expect(await run(next.connection, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
})

test('a SIGKILL of PostgreSQL is reported, and the next start recovers', async () => {
  const home = await homes.copy()
  const postgres = stopLater(await startEmbedded({ home }))
  await run(postgres.connection, 'CREATE TABLE kept AS SELECT 1 AS n')
  const abandoned = run(postgres.connection, BUSY).catch(() => 'cut')
  await waitUntil(
    async () => (await run(postgres.connection, `SELECT 1 FROM pg_stat_activity WHERE query = '${BUSY}'`)).length > 0,
    5_000,
  )
  process.kill(postgres.pid, 'SIGKILL')
  expect(await postgres.exited).toMatch(/ended by itself \(SIGKILL\): see .*postgres\.log; start again/)
  await postgres.stop()
  expect(await abandoned).toBe('cut')
  expect(await postgresProcessesIn(dataOf(home))).toEqual([])
  const next = stopLater(await startEmbedded({ home }))
  expect(await run(next.connection, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
})

test('both killed together, with a backend left over: the next start waits for its end', async () => {
  const home = await homes.copy()
  const service = startService(home)
  const { connection, pid } = await service.started()
  run(connection, BUSY).catch(() => undefined)
  await waitUntil(
    async () => (await run(connection, `SELECT 1 FROM pg_stat_activity WHERE query = '${BUSY}'`)).length > 0,
    5_000,
  )
  service.child.kill('SIGKILL')
  process.kill(pid, 'SIGKILL')
  await service.ended()
  expect(await postgresProcessesIn(dataOf(home))).not.toEqual([])
  stopLater(await startEmbedded({ home }))
})

test('stop is not reported as an accident', async () => {
  const postgres = stopLater(await startEmbedded({ home: await homes.copy() }))
  await postgres.stop()
  expect(await Promise.race([postgres.exited, new Promise((resolve) => setTimeout(resolve, 100, 'silent'))])).toBe(
    'silent',
  )
})

test('a process that ends without stopping takes PostgreSQL with it', async () => {
  const home = await homes.copy()
  const service = startService(home)
  await service.started()
  service.child.kill('SIGUSR2')
  await service.ended()
  expect(await waitUntil(async () => (await postgresProcessesIn(dataOf(home))).length === 0, 5_000)).toBe(true)
})

test('a stale postmaster.pid blocks no start, whichever process has that pid now', async () => {
  const home = await homes.copy()
  // The same user as PostgreSQL's: the case in which PostgreSQL itself would refuse to start.
  const account = asAccount(await chooseAccount(dataOf(home)))
  const unrelated = spawn('sleep', ['1000'], { stdio: 'ignore', ...account })
  cleanUpWith(() => unrelated.kill('SIGKILL'))
  for (const pid of [unrelated.pid, process.pid, 4_194_300]) {
    await writeFile(join(dataOf(home), 'postmaster.pid'), `${pid}\n/gone\n1\n5432\n../run\n\n 1 1\nready   \n`)
    const postgres = stopLater(await startEmbedded({ home }))
    await postgres.stop()
  }
  expect(unrelated.exitCode).toBe(null)
  expect(unrelated.signalCode).toBe(null)
})

test('a first start that was killed half-way is begun again, whether its initdb still runs or not', async () => {
  const home = await temporaryHome()
  const root = join(home, 'postgres')
  const stagings = () => (existsSync(root) ? readdirSync(root).filter((name) => name.startsWith('init-')) : [])
  const service = startService(home)
  await waitUntil(async () => stagings().some((name) => existsSync(join(root, name, 'data', 'base', '1'))), 10_000)
  service.child.kill('SIGKILL')
  await service.ended()
  expect(existsSync(dataOf(home))).toBe(false)
  const postgres = stopLater(await startEmbedded({ home }))
  expect(stagings()).toEqual([])
  expect(await run(postgres.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test('a big log is renamed at the start', async () => {
  const home = await homes.copy()
  const log = join(home, 'postgres', 'postgres.log')
  await writeFile(log, 'x'.repeat(9 << 20))
  stopLater(await startEmbedded({ home }))
  expect(readFileSync(log, 'utf8')).toMatch(/^\d{4}-.*starting PostgreSQL/)
  await rm(`${log}.1`)
})

test.each(['', 'garbage\n', '0\n', '-1\nx\n'])(
  'a postmaster.pid that holds %j keeps nothing from starting',
  async (text) => {
    const home = await homes.copy()
    await writeFile(join(dataOf(home), 'postmaster.pid'), text)
    const postgres = stopLater(await startEmbedded({ home }))
    expect(await run(postgres.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  },
)
