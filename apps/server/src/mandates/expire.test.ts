// Guarantee: time ends each standing mandate once, with one event, however many are due and however many workers there are.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EVENTS } from '../../test/events.ts'
import { atOnce, countBy, createSession, dbRow, eventBodies, newUser, paymentResult } from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { addSeconds } from '../platform/clock.ts'
import { chargeRow, newOwner, type Owner, standingMandate } from './testing/standing.ts'

let service: TestService
let second: TestService
let owner: Owner
beforeAll(async () => {
  service = await startTestService({ isForCrowds: true })
  second = await startTestService({ isForCrowds: true, database: service.database })
  owner = await newOwner(service)
})
afterAll(async () => {
  await second?.close()
  await service?.close()
})

const row = (id: string) => dbRow(service, 'select * from mandates where id = $1', [id])
async function eventsOf(ids: string[]): Promise<string[]> {
  const { rows } = await service.pool.query<{ type: string }>(
    `select type from ${EVENTS} events where resource_id = any($1)`,
    [ids],
  )
  return rows.map(({ type }) => type)
}
async function workLeft(ids: string[]): Promise<number> {
  const { rows } = await service.pool.query(`select 1 from open_work where kind = 'mandate' and id = any($1)`, [ids])
  return rows.length
}

describe('the sweep', () => {
  test('ends what is active or paused, as every read has said, and nothing before its time', async () => {
    const at = service.clock.now()
    const validUntil = addSeconds(at, 100)
    const due = [
      await standingMandate(service, owner, { validUntil }),
      await standingMandate(service, owner, { validUntil, status: 'paused' }),
    ]
    const later = await standingMandate(service, owner, { validUntil: addSeconds(at, 2_000) })
    await service.runJobs()
    expect(await eventsOf([...due, later])).toEqual([])
    await service.clock.advance(100)
    const before = (await owner.merchant.get(`/v1/mandates/${due[0]}`)).body
    await service.runJobs()
    for (const id of due)
      expect(await row(id)).toMatchObject({ status: 'expired', version: 1, ended_at: expect.any(Date) })
    expect(await eventsOf(due)).toEqual(['mandate.expired', 'mandate.expired'])
    expect(await workLeft(due)).toBe(0)
    const { updatedAt: _, ...after } = (await owner.merchant.get(`/v1/mandates/${due[0]}`)).body
    expect(before).toMatchObject(after)
    expect(await row(later)).toMatchObject({ status: 'active' })
    expect(await workLeft([later])).toBe(1)
  })

  test('leaves a charge alone that waits for its report', async () => {
    const id = await standingMandate(service, owner, { validUntil: addSeconds(service.clock.now(), 600) })
    const charge = await chargeRow(service, owner, id)
    await service.clock.advance(600)
    await service.runJobs()
    expect(await row(id)).toMatchObject({ status: 'expired' })
    const { status } = await dbRow(service, 'select status from charges where id = $1', [charge])
    expect(status).toBe('awaiting_result')
  })

  test('has nothing left to do for what ended otherwise before', async () => {
    const validUntil = addSeconds(service.clock.now(), 600)
    const consumed = await standingMandate(service, owner, { validUntil, frequency: 'one_time' })
    await service.pool.query(`update mandates set status = 'consumed', ended_at = now() where id = $1`, [consumed])
    const cancelled = await standingMandate(service, owner, { validUntil })
    await owner.merchant.post(`/v1/mandates/${cancelled}/cancel`)
    await service.clock.advance(600)
    await service.runJobs()
    expect(await workLeft([consumed, cancelled])).toBe(0)
    expect(await eventsOf([consumed, cancelled])).toEqual(['mandate.cancelled'])
    // Only of the cancelled one was the network told.
    const { rows } = await service.pool.query('select mandate_id from simnet.instructions where mandate_id = any($1)', [
      [consumed, cancelled],
    ])
    expect(rows).toEqual([{ mandate_id: cancelled }])
  })

  test('and an owner who moves it at its last moment: one of them wins, and there is one event', async () => {
    const validUntil = addSeconds(service.clock.now(), 600)
    const ids = await atOnce(12, () => standingMandate(service, owner, { validUntil }))
    await service.clock.advance(599)
    // Before, at and after that moment, mostly: what is true of each holds whenever it comes.
    const moves = atOnce(12, async (index) => {
      await new Promise((resolve) => setTimeout(resolve, 60 * index))
      return owner.merchant.post(`/v1/mandates/${ids[index]}/cancel`)
    })
    await new Promise((resolve) => setTimeout(resolve, 200))
    await service.clock.advance(1)
    const [answers] = await Promise.all([moves, service.runJobs(), second.runJobs()])
    await service.runJobs()
    const events = countBy(await eventsOf(ids), (type) => type)
    const { 200: cancelled = 0, 409: refused = 0 } = countBy(answers, ({ status }) => status)
    expect({ cancelled, expired: refused }).toEqual({
      cancelled: events['mandate.cancelled'] ?? 0,
      expired: events['mandate.expired'] ?? 0,
    })
    expect(cancelled + refused).toBe(12)
  })
})

test('one that is to be approved reads as expired in the moment its session is over, wherever, and is expired once', async () => {
  const { merchant } = owner
  const user_id = newUser()
  const created = await createSession(merchant, { user_id, mandate_setup: { recurring_frequency: 'monthly' } })
  const { session_id, expires_at } = created as typeof created & { expires_at: string }
  const { id } = await dbRow(service, 'select id from mandates where session_id = $1', [session_id])
  const views = async () => {
    const { spent: _, chargeCount: __, charges: ___, ...one } = (await merchant.get(`/v1/mandates/${id}`)).body
    const lists = ['', `?customer_id=${user_id}`, `?customer_id=${user_id}&standing_only=true`]
    const answers = await Promise.all(lists.map((query) => merchant.get(`/v1/mandates${query}`)))
    return [one, ...answers.map(({ body }) => body.mandates.find((listed: { id: string }) => listed.id === id))]
  }
  const four = (view: object) => [view, view, view, view]
  expect(await views()).toMatchObject(four({ status: 'pending', state: 'pending' }))
  await service.clock.advance(Math.ceil((Date.parse(expires_at) - service.clock.now().getTime()) / 1000))
  const before = await views()
  expect(before).toMatchObject(four({ status: 'expired', state: 'expired', remaining: '40.00' }))
  // Nothing has written it; the first to come writes it, once, and nothing that was shown changes by it.
  expect(await row(id)).toMatchObject({ status: 'pending' })
  await Promise.all([paymentResult(merchant, session_id), service.runJobs(), second.runJobs()])
  expect(await row(id)).toMatchObject({ status: 'expired' })
  const shown = (view: { updatedAt: string }) => ({ ...view, updatedAt: undefined })
  expect((await views()).map(shown)).toEqual(before.map(shown))
  const told = (await eventBodies(service, session_id)).map((body) => JSON.parse(body).type)
  expect(told).toEqual(['mandate.creation_expired'])
})

test('thousands that are due keep nobody waiting, and two nodes end each once', async () => {
  const validUntil = addSeconds(service.clock.now(), 30)
  const template = await standingMandate(service, owner, { validUntil })
  const shop = await service.addMerchant()
  const other = await newOwner(service, shop)
  const elsewhere = await standingMandate(service, other)
  const ids = await copies(template, 2_000)
  await service.clock.advance(30)
  // Another merchant's, and later than all of them: told to the network in the first rounds.
  await shop.post(`/v1/mandates/${elsewhere}/cancel`)
  const job = service.job('mandates.end')
  const otherNode = second.job('mandates.end')
  const round = () => Promise.all([job, otherNode].map((of) => of.run().then(() => of.settled?.())))
  await round()
  expect(await workLeft([elsewhere])).toBe(0)
  const isOver = async () => (await workLeft([...ids, template])) === 0
  while (!(await isOver())) await round()
  expect(countBy(await eventsOf([...ids, template]), (type) => type)).toEqual({ 'mandate.expired': 2_001 })
  const { rows } = await service.pool.query('select distinct status, version from mandates where id = any($1)', [ids])
  expect(rows).toEqual([{ status: 'expired', version: 1 }])
})

/** So many mandates like one, with their work. */
async function copies(template: string, count: number): Promise<string[]> {
  const { rows } = await service.pool.query<{ id: string }>(
    `with made as (
       insert into mandates select (jsonb_populate_record(m, jsonb_build_object('id', m.id || n))).*
       from mandates m, generate_series(1, $2) n where m.id = $1 returning id),
     work as (
       insert into open_work select (jsonb_populate_record(w, jsonb_build_object('id', made.id))).*
       from open_work w, made where w.id = $1)
     select id from made`,
    [template, count],
  )
  return rows.map(({ id }) => id)
}
