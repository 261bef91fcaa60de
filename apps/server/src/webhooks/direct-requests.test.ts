// Guarantee: a challenge or a test counts among the requests of its application like a delivery: beside it no other is on its way to
// the endpoint (invariant I7).
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectError } from '../../test/flows.ts'
import type { Receiver } from '../../test/receivers/receiver.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { publish } from './delivery/testing/rows.ts'
import { activeEndpoint, ON_THIS_MACHINE, obeys } from './testing/endpoints.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    ...{ env: { ...ON_THIS_MACHINE, RATE_LIMIT_WEBHOOK_REQUEST: '100000' }, isForCrowds: true },
  })
})
afterAll(() => service?.close())

/** Holds every answer until it is let go, and counts what is open. */
function gated(receiver: Receiver) {
  const gate = Promise.withResolvers<void>()
  const counts = { open: 0, most: 0, all: 0 }
  receiver.behave({
    async answer(socket, request) {
      counts.open += 1
      counts.all += 1
      counts.most = Math.max(counts.most, counts.open)
      await gate.promise
      counts.open -= 1
      await obeys().answer?.(socket, request)
    },
  })
  return { counts, letGo: gate.resolve }
}

const event = (merchant: TestMerchant) =>
  publish(service.pool, {
    merchantId: merchant.merchantId,
    count: 1,
    type: 'payment.succeeded',
    at: service.clock.now(),
  })
const deliver = () => service.job('webhooks.deliver').run()
const settled = () => service.job('webhooks.deliver').settled?.()

test.each(['test', 'verify'])('while a delivery is on its way, a %s is refused', async (kind) => {
  const merchant = await service.addMerchant()
  const { path, receiver } = await activeEndpoint(merchant)
  const { counts, letGo } = gated(receiver)
  await event(merchant)
  await deliver()
  await expect.poll(() => counts.all).toBe(1)
  const ask = () => merchant.send('POST', `${path}/${kind}`, kind === 'test' ? { type: 'card.deleted' } : undefined)
  const refused = await ask()
  expectError(refused, 429, 'RATE_LIMITED')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  letGo()
  await settled()
  expect((await ask()).status).toBe(200)
  expect(counts).toMatchObject({ all: 2, most: 1 })
  await receiver.close()
})

test('while a test is on its way, a delivery waits, and is sent after it', async () => {
  const merchant = await service.addMerchant()
  const { path, receiver } = await activeEndpoint(merchant)
  const { counts, letGo } = gated(receiver)
  const asked = merchant.send('POST', `${path}/test`, { type: 'card.deleted' })
  await expect.poll(() => counts.all).toBe(1)
  await event(merchant)
  await deliver()
  await settled()
  expect(counts.all).toBe(1)
  letGo()
  expect((await asked).status).toBe(200)
  // At once, and not when a request whose process has died would be over.
  await service.runJobs()
  expect(counts).toMatchObject({ all: 2, most: 1 })
  await receiver.close()
})

test('of many at the same time one is on its way, and every place is given back', async () => {
  const merchant = await service.addMerchant()
  const { path, receiver } = await activeEndpoint(merchant)
  let open = 0
  let most = 0
  receiver.behave({
    async answer(socket, request) {
      open += 1
      most = Math.max(most, open)
      // Long enough that others mostly come meanwhile; no verdict hangs on it.
      await delay(40)
      open -= 1
      await obeys().answer?.(socket, request)
    },
  })
  const ask = () => merchant.send('POST', `${path}/test`, { type: 'card.deleted' })
  const statuses = (await Promise.all(Array.from({ length: 8 }, ask))).map(({ status }) => status)
  expect(statuses).toContain(200)
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  expect(most).toBe(1)
  const { rows } = await service.pool.query('select flights from webhook_applications where merchant_id = $1', [
    merchant.merchantId,
  ])
  expect(rows).toEqual([{ flights: {} }])
  await receiver.close()
})

test('a challenge that waits for its place is not sent to an endpoint that was deleted meanwhile', async () => {
  const merchant = await service.addMerchant()
  const { path, receiver } = await activeEndpoint(merchant)
  const { counts } = gated(receiver)
  const client = new Client(service.database.connection)
  await client.connect()
  try {
    await client.query('begin')
    await client.query('select 1 from webhook_applications where merchant_id = $1 for update', [merchant.merchantId])
    const asked = merchant.send('POST', `${path}/verify`)
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1)
    expect((await merchant.send('DELETE', path)).status).toBe(200)
    await client.query('commit')
    expectError(await asked, 404, 'NOT_FOUND')
  } finally {
    await client.end()
  }
  expect(counts.all).toBe(0)
  await receiver.close()
})
