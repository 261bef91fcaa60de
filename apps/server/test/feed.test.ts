// Guarantee: what the feed gives over HTTP are the bytes that were fixed when an event was captured, to its merchant and no
// other; and a change is not kept waiting by whoever works on the feed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLoops } from '../src/jobs/loop.ts'
import { startWakes } from '../src/jobs/wake.ts'
import { createLog } from '../src/platform/log.ts'
import { approvedSession, dbRow, eventBodies, expectError, paymentResult, report } from './flows.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from './service.ts'

let service: TestService
let merchant: TestMerchant
let other: TestMerchant
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
  merchant = service.merchant
  other = await service.addMerchant()
})
afterAll(() => service?.close())

const raw = async (path: string, of = merchant, method = 'GET') => {
  const response = await fetch(service.apiUrl + path, { method, headers: { authorization: `Bearer ${of.secretKey}` } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** A payment that was reported; the bodies of its two events as they were captured. */
async function paid(of: TestMerchant): Promise<string[]> {
  const { id, item } = await approvedSession(of, undefined, { external_order_ref: 'é “7” \\ "' })
  await report(of, id, { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' })
  return eventBodies(service, (await paymentResult(of, id)).body.transactions[0].txn_id)
}

test('pages and single events are the captured bytes, of the own merchant alone', async () => {
  const [own, theirs] = [await paid(merchant), await paid(other)]
  expect(own).toHaveLength(2)
  await service.runJobs()
  const page = await raw('/v1/events?cursor=0')
  expect(page.text).toBe(`{"data":[${own.join()}],"next_cursor":null}`)
  expect((await raw('/v1/events')).text).toBe(page.text)
  expect((await raw('/v1/events', other)).text).toBe(`{"data":[${theirs.join()}],"next_cursor":null}`)
  for (const body of own) {
    const { id } = JSON.parse(body)
    const single = await raw(`/v1/events/${id}`)
    expect(single).toMatchObject({ status: 200, text: body })
    expect(single.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(single.headers.get('x-response-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(single.headers.get('content-length')).toBe(String(Buffer.byteLength(body)))
    expect((await raw(`/v1/events/${id}`, merchant, 'HEAD')).text).toBe('')
    expectError(await other.get(`/v1/events/${id}`), 404, 'NOT_FOUND')
  }
})

describe('what is asked wrongly', () => {
  test.each([
    ['cursor=x', 'cursor'],
    ['cursor=-1', 'cursor'],
    ['cursor=9223372036854775808', 'cursor'],
    ['cursor=', 'cursor'],
    [`cursor=${'9'.repeat(200)}`, 'cursor'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['type=payment.unknown', 'type'],
    ['from=yesterday', 'from'],
    ['from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z', 'to'],
    ['from=2026-01-01T00:00:00Z&to=2026-11-20T00:00:00Z', 'to'],
    ['page=2', 'page'],
  ])('%s is told by the name of the field', async (query, field) => {
    const answer = await merchant.get(`/v1/events?${query}`)
    expectError(answer, 400, 'VAL_2001')
    expect(Object.keys(answer.body.error.details)).toEqual([field])
  })
})

test('a commit wakes the sequencer, however long it would rest', async () => {
  const { app, pool, clock, database } = service
  const log = createLog({ level: 'silent' })
  const wakes = startWakes({ pool, connection: database.connection, log, refreshClock: clock.refresh })
  const jobs = app.jobs.filter(({ name }) => name === 'events.number').map((job) => ({ ...job, restMillis: 3_600_000 }))
  expect(jobs).toHaveLength(1)
  const loops = startLoops(jobs, { log, clock, wakes })
  try {
    const [, last = ''] = await paid(merchant)
    const { id } = JSON.parse(last)
    await expect.poll(async () => (await raw(`/v1/events/${id}`)).status).toBe(200)
  } finally {
    await loops.stop()
    await wakes.stop()
  }
})

test('a change is made while nobody can get at the feed at all', async () => {
  const client = await service.pool.connect()
  try {
    await client.query('begin')
    await client.query('lock table events, event_heads in access exclusive mode')
    const { id } = await approvedSession(merchant)
    const { transactions } = (await paymentResult(merchant, id)).body
    const { count } = await dbRow(
      service,
      'select count(*)::int as count from captured_events where resource_id = $1',
      [transactions[0].txn_id],
    )
    expect(count).toBe(1)
  } finally {
    await client.query('rollback')
    client.release()
  }
})
