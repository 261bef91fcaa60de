// Guarantee: what a claim and the look at a queue read does not grow with what is queued, nor with the endpoints that are due.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { STATEMENTS } from '../../db/statement.ts'
import { addSeconds } from '../../platform/clock.ts'
import { newOrderedId } from '../../platform/ids.ts'
import './store.ts'
import { generation } from './fan-out.ts'
import { type Delivering, startDelivering } from './testing/delivering.ts'

const ENDPOINTS = 2_000
const QUEUED = 40_000
/** Pages of eight kilobytes: some levels of some indexes, in each of few partitions. */
const MAX_PAGES = 120

let world: Delivering
let merchantId: string
let endpointId: string
beforeAll(async () => {
  world = await startDelivering()
  merchantId = await world.addMerchant()
  endpointId = await world.addEndpoint(merchantId, 'http://localhost:1/')
  const at = world.clock.now()
  const { day, windowEndsAt } = generation(at)
  await world.pool.query(
    `insert into open_work (merchant_id, kind, id, due_at, attempts, lease_until, lease_fence)
     select 'ma_' || n, 'endpoint', 'we_' || n, $1::timestamptz, 0, null::timestamptz, 0 from generate_series(1, $2::int) n
     union all select $3, 'endpoint', $4, $1::timestamptz, 0, null, 0`,
    [at, ENDPOINTS, merchantId, endpointId],
  )
  // The queue has two revisions, and beside it is that of another endpoint of the merchant.
  await world.pool.query(
    `insert into webhook_deliveries (merchant_id, id, day, endpoint_id, revision, event_id, event_type, state, send_at, attempts,
       window_ends_at, created_at)
     select $1, $2 || lpad(n::text, 16, '0'), $3, case when n % 4 = 0 then 'we_other' else $4 end, 1 + n % 2, 'evt_' || n,
       'payment.succeeded', 'queued', $5, 0, $6, $5 from generate_series(1, $7::int) n`,
    [merchantId, newOrderedId('delivery', at).slice(0, 14), day, endpointId, at, windowEndsAt, QUEUED],
  )
  await world.pool.query('analyze webhook_deliveries')
  await world.pool.query('analyze open_work')
})
afterAll(() => world?.close())

/** How many pages a statement of the program reads; what it writes is rolled back. */
async function pagesOf(name: string, values: Record<string, unknown>): Promise<number> {
  const statement = STATEMENTS.get(name)
  if (statement === undefined) throw new Error(`There is no statement ${name}.`)
  const client = await world.pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query(
      `explain (analyze, buffers, format json) ${statement.text}`,
      statement.parameters.map((parameter) => values[parameter.name]),
    )
    const [{ Plan: plan }] = rows[0]['QUERY PLAN']
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test.each([1, 2, 3])('the look at a queue, of revision %i', async (revision) => {
  expect(await pagesOf('webhooks.find_queue', { merchantId, endpointId, revision, except: '' })).toBeLessThan(MAX_PAGES)
})

test('the question who has due endpoints, and the claim of one', async () => {
  const at = world.clock.now()
  const place = { at, leaseBound: addSeconds(at, 120), window: 50 }
  expect(await pagesOf('webhooks.find_due', place)).toBeLessThan(MAX_PAGES)
  const claim = { ...place, merchantId, leaseUntil: addSeconds(at, 3), limit: 10 }
  expect(await pagesOf('webhooks.claim_due', claim)).toBeLessThan(MAX_PAGES)
  expect(await pagesOf('webhooks.claim_one', { ...claim, id: endpointId })).toBeLessThan(MAX_PAGES)
  expect(await pagesOf('webhooks.list_turns', { ...claim, inHand: '{}', except: '' })).toBeLessThan(MAX_PAGES)
})
