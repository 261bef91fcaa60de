// Guarantee: a mandate moves only along its table; one of any number of callers moves it, with one event; and a cancelled one
// is cancelled at the network, whatever became of its charges.
import { MANDATE_STATUSES, type MandateStatus } from '@mintmark/contract'
import { afterAll, describe, expect, test } from 'vitest'
import {
  atOnce,
  authorization,
  countBy,
  dbRow,
  eventBodies,
  expectError,
  paymentResult,
  report,
  waitingSession,
} from '../../test/flows.ts'
import { type Answer, call, jsonRequest } from '../../test/service.ts'
import { addSeconds } from '../platform/clock.ts'
import { newOwner, standingMandate, startWithOwner, takeCharge } from './testing/standing.ts'

const VERBS = ['pause', 'resume', 'cancel'] as const
type Verb = (typeof VERBS)[number]

const { service, merchant, owner, close } = await startWithOwner()
afterAll(close)

const move = (id: string, verb: Verb, as = merchant) => as.post(`/v1/mandates/${id}/${verb}`)
const read = async (id: string) => (await merchant.get(`/v1/mandates/${id}`)).body

/** The bodies of the events of a mandate, in the order of their versions. */
async function eventsOf(id: string) {
  return (await eventBodies(service, id)).map((body) => JSON.parse(body))
}

/** What may be done in which status, and what it becomes. Everything else is refused. */
const ALLOWED: Partial<Record<`${MandateStatus} ${Verb}`, MandateStatus>> = {
  'active pause': 'paused',
  'paused resume': 'active',
  'active cancel': 'cancelled',
  'paused cancel': 'cancelled',
}

const MOVES: Readonly<Record<Verb, { to: MandateStatus; done: string }>> = {
  pause: { to: 'paused', done: 'paused' },
  resume: { to: 'active', done: 'resumed' },
  cancel: { to: 'cancelled', done: 'cancelled' },
}

describe('every move from every status', () => {
  test.each(MANDATE_STATUSES.flatMap((status) => VERBS.map((verb) => [status, verb] as const)))(
    '%s: %s',
    async (status, verb) => {
      const id = await standingMandate(service, owner, { status })
      const answer = await move(id, verb)
      const becomes = ALLOWED[`${status} ${verb}`]
      if (becomes === undefined) {
        expectError(answer, 409, 'MANDATE_INVALID_TRANSITION')
        const { to, done } = MOVES[verb]
        const message =
          status === to ? `The mandate is ${status} already.` : `A mandate that is ${status} cannot be ${done}.`
        expect(answer.body.error.message).toBe(message)
        expect((await read(id)).status).toBe(status)
        expect(await eventsOf(id)).toEqual([])
        return
      }
      expect(answer.status).toBe(200)
      expect(answer.body).toMatchObject({ id, status: becomes, state: becomes === 'active' ? 'available' : becomes })
      const { spent: _, chargeCount: __, charges: ___, ...view } = await read(id)
      expect(answer.body).toEqual(view)
    },
  )

  test('after its end nothing moves it, and nothing is resumed', async () => {
    const validUntil = addSeconds(service.clock.now(), 50)
    const ids = [
      await standingMandate(service, owner, { validUntil }),
      await standingMandate(service, owner, { validUntil, status: 'paused' }),
    ]
    await service.clock.advance(50)
    for (const id of ids) {
      for (const verb of VERBS) expectError(await move(id, verb), 409, 'MANDATE_INVALID_TRANSITION')
      expect((await dbRow(service, 'select version from mandates where id = $1', [id])).version).toBe(0)
    }
  })
})

describe('a move', () => {
  test('is captured with what it made of the mandate', async () => {
    const id = await standingMandate(service, owner, { frequency: 'weekly', maxCharges: 12 })
    for (const verb of ['pause', 'resume', 'cancel'] as const) await move(id, verb)
    const events = await eventsOf(id)
    expect(events.map(({ type, data, resource }) => [type, data.status, resource.version])).toEqual([
      ['mandate.paused', 'paused', 1],
      ['mandate.resumed', 'active', 2],
      ['mandate.cancelled', 'cancelled', 3],
    ])
    const { order_id, valid_until } = await dbRow(service, 'select * from mandates where id = $1', [id])
    expect(events[2]).toMatchObject({
      account_id: merchant.merchantId,
      resource: { type: 'mandate', id },
      data: {
        mandate_id: id,
        order_id,
        terms: {
          recurring_frequency: 'weekly',
          merchant_scope: 'listed',
          max_charges: 12,
          amount: { value: '100.00', currency: 'USD' },
          valid_until: valid_until.toISOString(),
        },
      },
    })
    const text = JSON.stringify(events)
    for (const hidden of [owner.userId, owner.customerId, 'ann@example.com']) expect(text).not.toContain(hidden)
  })

  test('changes nothing of the window: what was spent is spent after a resume', async () => {
    const id = await standingMandate(service, owner)
    await takeCharge(service, owner, id)
    const before = await read(id)
    await move(id, 'pause')
    expect(await takeCharge(service, owner, id)).toBeNull()
    expect(await read(id)).toMatchObject({ spent: '25.00', remaining: '75.00', state: 'paused' })
    await move(id, 'resume')
    const { updatedAt, ...after } = await read(id)
    expect({ ...after, updatedAt: before.updatedAt }).toEqual(before)
    expect(updatedAt > before.updatedAt).toBe(true)
    expect(await takeCharge(service, owner, id)).not.toBeNull()
  })

  test('is the merchant’s own to make', async () => {
    const other = await service.addMerchant()
    const id = await standingMandate(service, owner)
    for (const verb of VERBS) {
      expectError(await move(id, verb, other), 403, 'MANDATE_FORBIDDEN')
      expectError(await move('mdt_nobodys', verb, other), 404, 'MANDATE_NOT_FOUND')
      const bad = `Bearer ${merchant.secretKey.slice(0, -4)}0000`
      expectError(await call(`${service.apiUrl}/v1/mandates/${id}/${verb}`, jsonRequest(bad)), 401, 'AUTH_REQUIRED')
    }
    expect(await read(id)).toMatchObject({ status: 'active' })
  })

  test('takes no body', async () => {
    const id = await standingMandate(service, owner)
    expectError(await merchant.post(`/v1/mandates/${id}/pause`, { reason: 'x' }), 400, 'VAL_2001')
    expect((await merchant.post(`/v1/mandates/${id}/pause`, {})).status).toBe(200)
  })

  test('stays possible for a suspended merchant, so that a permission can always be ended', async () => {
    const shop = await service.addMerchant()
    const id = await standingMandate(service, await newOwner(service, shop))
    await service.app.merchants.updateMerchant(shop.merchantId, { status: 'suspended' })
    expect((await move(id, 'cancel', shop)).status).toBe(200)
  })
})

describe('many callers', () => {
  const statuses = (answers: Answer[]) => countBy(answers, ({ status }) => status)

  test.each([
    ['pause', 'active', 'mandate.paused'],
    ['resume', 'paused', 'mandate.resumed'],
    ['cancel', 'active', 'mandate.cancelled'],
  ] as const)('%s: one winner, one event', async (verb, status, type) => {
    const id = await standingMandate(service, owner, { status })
    const answers = await atOnce(32, () => move(id, verb))
    expect(statuses(answers)).toEqual({ 200: 1, 409: 31 })
    expect((await eventsOf(id)).map((event) => event.type)).toEqual([type])
  })

  test('who pause, resume and cancel at the same time leave one history, without a gap', async () => {
    const id = await standingMandate(service, owner)
    const answers = await atOnce(48, (index) => move(id, VERBS[index % (index < 40 ? 2 : 3)] ?? 'cancel'))
    const events = await eventsOf(id)
    expect(statuses(answers)[200]).toBe(events.length)
    expect(events.map(({ resource }) => resource.version)).toEqual(events.map((_, index) => index + 1))
    let status: MandateStatus = 'active'
    for (const { data } of events) {
      const from = status
      status = data.status
      expect(
        VERBS.some((verb) => ALLOWED[`${from} ${verb}`] === status),
        `${from} → ${status}`,
      ).toBe(true)
    }
    expect(await read(id)).toMatchObject({ status })
  })
})

describe('a mandate of a checkout whose credential is out', () => {
  const waiting = async () => {
    const session = await waitingSession(merchant)
    const { mandate_id: id } = await dbRow(service, 'select mandate_id from charges where opened_by = $1', [session.id])
    return { ...session, mandate: id as string }
  }
  const spend = async (item: Record<string, string>) =>
    (await merchant.post('/v1/test_helpers/authorizations', authorization(item))).body

  test('is paused without harm to it, and paid it is consumed', async () => {
    const { id, item, approved, mandate } = await waiting()
    expect((await move(mandate, 'pause')).body).toMatchObject({ status: 'paused' })
    expect((await paymentResult(merchant, id)).body).toMatchObject({ status: 'awaiting_result' })
    expect(await spend(item)).toMatchObject({ approved: true })
    expect((await report(merchant, id, approved)).status).toBe(200)
    expect(await read(mandate)).toMatchObject({ status: 'consumed', spent: '40.00' })
    expectError(await move(mandate, 'resume'), 409, 'MANDATE_INVALID_TRANSITION')
  })

  const instruction = async (mandate: string) =>
    (await dbRow(service, 'select state from simnet.instructions where mandate_id = $1', [mandate])).state

  test('is cancelled, and that leaves it alone: it is shown as before, spent and reported', async () => {
    const { id, item, approved, mandate } = await waiting()
    const before = (await paymentResult(merchant, id)).body
    expect((await move(mandate, 'cancel')).body).toMatchObject({ status: 'cancelled' })
    await service.runJobs()
    expect((await paymentResult(merchant, id)).body).toEqual(before)
    expect(before.transactions[0].line_items[0]).toMatchObject({ token: item.token, dynamic_cvv: item.dynamic_cvv })
    expect(await instruction(mandate)).toBe('active')
    expect(await spend(item)).toMatchObject({ approved: true, response_code: '00' })
    expect((await report(merchant, id, approved)).body).toMatchObject({ network_confirmation: 'SUCCESS' })
    expect((await paymentResult(merchant, id)).body).toMatchObject({ status: 'completed' })
    expect(await read(mandate)).toMatchObject({ status: 'cancelled', spent: '40.00', chargeCount: 1 })
    await service.runJobs()
    expect(await instruction(mandate)).toBe('cancelled')
  })

  test('spent before it was cancelled, it was paid: the money is never called back by a state', async () => {
    const { id, item, approved, mandate } = await waiting()
    expect(await spend(item)).toMatchObject({ approved: true })
    await move(mandate, 'cancel')
    await service.runJobs()
    expect((await report(merchant, id, approved)).body).toMatchObject({ network_confirmation: 'SUCCESS' })
    expect((await paymentResult(merchant, id)).body).toMatchObject({ status: 'completed' })
    expect(await read(mandate)).toMatchObject({ status: 'cancelled', spent: '40.00', chargeCount: 1 })
  })

  test('cancelled and not reported it lapses as ever, and only then the network ends the instruction', async () => {
    const { id, item, mandate } = await waiting()
    await move(mandate, 'cancel')
    await service.runJobs()
    expect(await instruction(mandate)).toBe('active')
    await service.clock.advance(2 * 86_400)
    await service.runJobs()
    expect((await paymentResult(merchant, id)).body.error.code).toBe('MANDATE_EXPIRED')
    expect(await read(mandate)).toMatchObject({ status: 'cancelled' })
    await service.clock.advance(10)
    await service.runJobs()
    expect(await instruction(mandate)).toBe('cancelled')
    expect(await spend(item)).toMatchObject({ approved: false })
    const left = await service.pool.query('select 1 from open_work where id = $1', [mandate])
    expect(left.rows).toEqual([])
  })
})

test('the network is told of a cancelled standing mandate, and then nothing is left to do', async () => {
  const id = await standingMandate(service, owner)
  await move(id, 'cancel')
  const { rows } = await service.pool.query(`select 1 from open_work where kind = 'mandate' and id = $1`, [id])
  expect(rows).toHaveLength(1)
  await service.runJobs()
  const { state } = await dbRow(service, 'select state from simnet.instructions where mandate_id = $1', [id])
  expect(state).toBe('cancelled')
  const left = await service.pool.query(`select 1 from open_work where kind = 'mandate' and id = $1`, [id])
  expect(left.rows).toEqual([])
})

test('a checkout whose payment was reported in time, and is not confirmed yet, moves no more once its time is over', async () => {
  const { id } = await waitingSession(merchant)
  const { mandate_id } = await dbRow(service, 'select mandate_id from charges where opened_by = $1', [id])
  await service.pool.query(`update charges set reported_outcome = 'APPROVED' where opened_by = $1`, [id])
  await service.pool.query('update mandates set valid_until = $2 where id = $1', [mandate_id, service.clock.now()])
  expect(await read(mandate_id)).toMatchObject({ status: 'active' })
  for (const verb of ['pause', 'cancel'] as const) {
    expectError(await move(mandate_id, verb), 409, 'MANDATE_INVALID_TRANSITION')
  }
})
