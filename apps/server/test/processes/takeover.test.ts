// Guarantee: after a kill no approval waits for a lease whose holder is dead.
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
  const isHeld = async () => (await database.query('select 1 from charges where lease_until is not null')).rowCount
  await expect.poll(isHeld, { interval: 5 }).toBe(1)
  await program.stop('SIGKILL')
  expect(await cut).toBe('cut')
  await database.query('rollback')
  return id
}

/** It is not the end of this lease that brings the outcome. */
async function makeLeaseEndless(database: Client): Promise<void> {
  const { rowCount } = await database.query(
    `update charges set lease_until = lease_until + interval '1 day' where lease_until is not null`,
  )
  expect(rowCount).toBe(1)
}

/** Milliseconds from readiness to the end of the approval. */
async function untilApproved(program: Program, id: string): Promise<number> {
  await program.ready()
  const start = performance.now()
  const merchant = callerOf(program.apiUrl, (await readDevFile(program.home)).secret_key)
  expect((await outcomeOf(merchant, id)).status).toBe('awaiting_result')
  return Math.round(performance.now() - start)
}

test('on the embedded database an approval cut by a kill ends right after the next start', async () => {
  const home = await preparedHome()
  const port = await freePorts()
  const settings = { home, port, env: { LEASE_SECONDS: '60' } }
  const program = startProgram(['all'], settings)
  await program.ready()
  const connection = await runningConnection(home, 'mintmark')
  const database = new Client(connection)
  database.on('error', () => undefined)
  await database.connect()
  const id = await killWhileMinting(program, database)
  await makeLeaseEndless(database)
  await database.end()
  const next = startProgram(['all'], settings)
  const millis = await untilApproved(next, id)
  note(`Embedded: an approval cut by a kill ended ${millis} ms after readiness`)
  await next.stop()
})

test('on a shared database as well, where no other process is there', async () => {
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
  await makeLeaseEndless(database)
  await database.end()
  const next = startProgram(['all'], settings)
  const millis = await untilApproved(next, id)
  note(`Shared, alone: an approval cut by a kill ended ${millis} ms after readiness`)
  await next.stop()
  await shared.close()
})

test('on a shared database beside other processes it ends when the short lease does', async () => {
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
  const { rows } = await database.query('select lease_until - now() <= $1 as is_short from charges', ['3 seconds'])
  expect(rows).toEqual([{ is_short: true }])
  await database.end()
  const next = startProgram(['all'], { home, port: first.port, env })
  const millis = await untilApproved(next, id)
  note(`Shared, beside another: an approval cut by a kill ended ${millis} ms after readiness`)
  await Promise.all([next.stop(), other.stop()])
  await shared.close()
})
