// Guarantee: after a kill no caller waits for a lease whose holder is dead.
import { setTimeout as delay } from 'node:timers/promises'
import { runningConnection } from '@mintmark/embedded-postgres'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { approve, outcomeOf, prepareApproval } from '../crash/stage.ts'
import { createTestDatabase } from '../database.ts'
import {
  callerOf,
  freePorts,
  note,
  type Program,
  preparedHome,
  readDevFile,
  startProgram,
  temporaryHome,
} from './program.ts'

/** Kills the service while the network is asked to mint; returns the session. */
async function killWhileMinting(program: Program, database: Client): Promise<string> {
  const merchant = callerOf(program.apiUrl, (await readDevFile(program.home)).secret_key)
  const id = await prepareApproval(merchant, 'user-1')
  await database.query('begin')
  await database.query('lock table simnet.instructions in access exclusive mode')
  const cut = approve(merchant, id).catch(() => 'cut')
  const status = async () => (await merchant.get(`/v1/sessions/${id}/payment-result`)).body.status
  await expect.poll(status, { interval: 20 }).toBe('processing')
  await program.stop('SIGKILL')
  expect(await cut).toBe('cut')
  await database.query('rollback')
  return id
}

/** Milliseconds from readiness to the end of the approval. */
async function untilApproved(program: Program, id: string): Promise<number> {
  await program.ready()
  const start = performance.now()
  const merchant = callerOf(program.apiUrl, (await readDevFile(program.home)).secret_key)
  expect((await outcomeOf(merchant, id)).status).toBe('awaiting_result')
  return Math.round(performance.now() - start)
}

test('on the embedded database an approval cut by a kill ends right after the next start', {
  timeout: 90_000,
}, async () => {
  const home = await preparedHome()
  const port = await freePorts()
  // A lease of the greatest length, three times what is waited for the outcome: it is not its end that brings it.
  const settings = { home, port, env: { LEASE_SECONDS: '60' } }
  const program = startProgram(['all'], settings)
  await program.ready()
  const connection = await runningConnection(home, 'mintmark')
  const database = new Client(connection)
  database.on('error', () => undefined)
  await database.connect()
  const id = await killWhileMinting(program, database)
  await database.end()
  const next = startProgram(['all'], settings)
  const millis = await untilApproved(next, id)
  note(`Embedded: an approval cut by a kill ended ${millis} ms after readiness`)
  await next.stop()
})

test('on a shared database as well, where no other process is there', { timeout: 90_000 }, async () => {
  const shared = await createTestDatabase()
  const settings = {
    ...{ home: await temporaryHome(), port: await freePorts() },
    env: { DATABASE_URL: shared.url, LEASE_SECONDS: '60' },
  }
  const first = startProgram(['all'], settings)
  await first.ready()
  const database = new Client(shared.connection)
  await database.connect()
  const id = await killWhileMinting(first, database)
  await database.end()
  const next = startProgram(['all'], settings)
  const millis = await untilApproved(next, id)
  note(`Shared, alone: an approval cut by a kill ended ${millis} ms after readiness`)
  await next.stop()
  await shared.close()
})

test('on a shared database beside other processes it ends when the short lease does', { timeout: 90_000 }, async () => {
  const shared = await createTestDatabase()
  const home = await temporaryHome()
  const env = { DATABASE_URL: shared.url }
  const first = startProgram(['all'], { home, port: await freePorts(), env })
  await first.ready()
  const other = startProgram(['serve'], { home, port: await freePorts(), env })
  await other.ready()
  const database = new Client(shared.connection)
  await database.connect()
  const id = await killWhileMinting(first, database)
  // The clock of the database is the service's own here: what is left of the lease is less than it was made for.
  const { rows } = await database.query(
    'select lease_until - now() <= $1 as is_short from charges where lease_until is not null',
    ['3 seconds'],
  )
  expect(rows).toEqual([{ is_short: true }])
  await database.end()
  const next = startProgram(['all'], { home, port: first.port, env })
  const millis = await untilApproved(next, id)
  note(`Shared, beside another: an approval cut by a kill ended ${millis} ms after readiness`)
  await Promise.all([next.stop(), other.stop()])
  await delay(100)
  await shared.close()
})
