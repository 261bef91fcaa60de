// Guarantee: what needs that no other process is there is done only then, and a process that dies is gone at once.
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { createLog } from '../platform/log.ts'
import { startNotifications } from './notifications.ts'
import { announce, whenAlone } from './presence.ts'

let database: TestDatabase
const clients: Client[] = []
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.close())
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end()
})

async function connect(): Promise<Client> {
  const client = new Client(database.connection)
  client.on('error', () => undefined)
  await client.connect()
  clients.push(client)
  return client
}

/** Whether the work was done. */
async function isAlone(): Promise<boolean> {
  let isDone = false
  await whenAlone(database.pool, async () => {
    isDone = true
  })
  return isDone
}

/** The server has noticed the end of a connection. */
const eventuallyAlone = () => expect.poll(isAlone, { interval: 20 }).toBe(true)

test('no process is there, then two are, then one, then none', async () => {
  expect(await isAlone()).toBe(true)
  const [one, other] = [await connect(), await connect()]
  await announce(one)
  await announce(other)
  expect(await isAlone()).toBe(false)
  await one.end()
  expect(await isAlone()).toBe(false)
  await other.end()
  await eventuallyAlone()
})

test('a process whose connection is cut is gone at once', async () => {
  const client = await connect()
  await announce(client)
  const { rows } = await client.query('select pg_backend_pid() as pid')
  expect(await isAlone()).toBe(false)
  await database.pool.query('select pg_terminate_backend($1)', [rows[0].pid])
  await eventuallyAlone()
})

test('every process is there that hears what others say', async () => {
  const { promise: connected, resolve: onConnected } = Promise.withResolvers<void>()
  const log = createLog({ level: 'silent' })
  const { connection } = database
  const notifications = startNotifications({ connection, log, onNotification: () => undefined, onConnected })
  await connected
  expect(await isAlone()).toBe(false)
  await notifications.stop()
  await eventuallyAlone()
})

test('of many that ask at once one is alone at a time, and who comes meanwhile is there after it', async () => {
  let inHand = 0
  let most = 0
  const work = async () => {
    inHand += 1
    most = Math.max(most, inHand)
    await delay(50)
    inHand -= 1
  }
  const asking = Promise.all(Array.from({ length: 8 }, () => whenAlone(database.pool, work)))
  await expect.poll(() => inHand, { interval: 1 }).toBe(1)
  await announce(await connect())
  expect(inHand).toBe(0)
  await asking
  expect(most).toBe(1)
})

test('work that fails leaves no process waiting', async () => {
  await expect(whenAlone(database.pool, () => Promise.reject(new Error('It failed.')))).rejects.toThrow('It failed.')
  await eventuallyAlone()
})
