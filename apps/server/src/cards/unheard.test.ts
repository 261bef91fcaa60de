// Guarantee: a card that ends without having been accepted has no token at the network either, also where the network accepted it and
// nobody heard of that (fault C2).
import { afterAll, beforeAll, expect, test } from 'vitest'
import { atOnce, CARDS, dbRow, enroll, expectError, newUser, vaultRecord } from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { createLog } from '../platform/log.ts'
import { cardOf, GONE, standing, visit } from './testing/once.ts'

let service: TestService
const lines: string[] = []
beforeAll(async () => {
  const log = createLog({ level: 'error', destination: { write: (line: string) => void lines.push(line) } })
  service = await startTestService({ log, env: { NETWORK_TIMEOUT_MS: '1500' } })
})
afterAll(() => service?.close())

const DAY_SECONDS = 24 * 3600

/** Entered, and accepted by the network, whose answer was lost. */
async function unheard(changes: object = {}) {
  const visitor = await visit(service)
  expectError(await visitor.enter(CARDS.provisionAnswerLost, changes), 503, 'NETWORK_UNAVAILABLE')
  const { id } = await dbRow(
    service,
    'select c.id from cards c join customers u on u.id = c.customer_id where u.external_user_id = $1',
    [visitor.user],
  )
  expect(await standing(service, id)).toMatchObject({ status: 'provisioning', tokens: ['active'] })
  return { id, visitor }
}

const workLeft = async () => (await service.pool.query("select id from open_work where kind = 'token'")).rows

test('one that was left for a day', async () => {
  const { id } = await unheard()
  await service.clock.advance(DAY_SECONDS + 1)
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject({ ...GONE, tokens: ['deleted'] })
  expect(await workLeft()).toEqual([])
})

test('one that was for one payment, with its session', async () => {
  const { id, visitor } = await unheard({ once: true })
  await visitor.page.post('/api/cancel')
  await service.clock.advance(61)
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject({ ...GONE, tokens: ['deleted'] })
})

test('one that waited for its code: no code makes a token of it any more', async () => {
  const visitor = await visit(service)
  expect((await visitor.enter(CARDS.stepUp, {})).body.step).toBe('card_verification')
  const id = await cardOf(service, visitor.sessionId)
  await service.clock.advance(DAY_SECONDS + 1)
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject({ ...GONE, tokens: ['deleted'] })
})

test('one that was entered again after its deletion: the token of the earlier time is another one', async () => {
  const { id, visitor } = await unheard({})
  expect((await visitor.enter(CARDS.provisionAnswerLost, {})).status).toBe(200)
  const merchant = service.merchant
  expect((await merchant.post('/v1/deleteCard', { customer_id: visitor.user, card_id: id })).status).toBe(200)
  const again = await visit(service, { user: visitor.user })
  expectError(await again.enter(CARDS.provisionAnswerLost, {}), 503, 'NETWORK_UNAVAILABLE')
  expect(await standing(service, id)).toMatchObject({ status: 'provisioning', tokens: ['deleted', 'active'] })
  await service.clock.advance(DAY_SECONDS + 1)
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject({ ...GONE, tokens: ['deleted', 'deleted'] })
  const third = await visit(service, { user: visitor.user })
  expectError(await third.enter(CARDS.provisionAnswerLost, {}), 503, 'NETWORK_UNAVAILABLE')
  expect((await third.enter(CARDS.provisionAnswerLost, {})).status).toBe(200)
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject({ status: 'active', tokens: ['deleted', 'deleted', 'active'] })
})

test('of entries at the same moment, one refused and the others accepted: what is active is a card here and there', async () => {
  const user = newUser()
  const visitors = await atOnce(8, () => visit(service, { user }))
  await Promise.all(visitors.map(({ enter }, index) => enter(CARDS.success, index % 2 === 0 ? { cvv: '000' } : {})))
  // On a busy machine a network may seem to have said nothing: what is left of that ends as well.
  await service.clock.advance(DAY_SECONDS + 1)
  await service.runJobs()
  const { rows } = await service.pool.query(
    `select c.id, c.status, array_agg(t.state) as tokens from cards c join customers u on u.id = c.customer_id
     left join simnet.tokens t on t.card_id = c.id where u.external_user_id = $1 group by 1, 2`,
    [user],
  )
  expect(rows.length).toBeGreaterThan(0)
  for (const { status, tokens } of rows) expect(tokens).toEqual([status])
})

test('one that a merchant provisions alone, and the network refuses', async () => {
  const user_id = newUser()
  const vault_ref_id = await vaultRecord(service.merchant, { card_number: CARDS.binCountryRefused })
  expect((await enroll(service.merchant, { user_id, vault_ref_id })).status).toBe(400)
  await service.runJobs()
  expect(await workLeft()).toEqual([])
})

test('a network that says nothing is asked again, and an alarm says so if that takes long', async () => {
  const { id } = await unheard()
  await service.clock.advance(DAY_SECONDS + 1)
  await service.job('cards.shred_abandoned').run()
  const ending = service.job('cards.end_tokens')
  const round = async () => {
    await ending.run()
    await ending.settled?.()
  }
  const client = await service.pool.connect()
  try {
    await client.query('begin')
    await client.query('select from simnet.tokens where card_id = $1 for update', [id])
    await service.pool.query("update open_work set attempts = 33 where kind = 'token'")
    await round()
    expect(await standing(service, id)).toMatchObject({ status: 'deleted', number: false, tokens: ['active'] })
    expect(await workLeft()).toEqual([{ id }])
    const alarms = lines.map((line) => JSON.parse(line)).filter(({ alarm }) => alarm === 'work_stuck')
    expect(alarms).toMatchObject([{ job: 'cards.end_tokens', row_id: id, attempt: 34 }])
  } finally {
    await client.query('rollback')
    client.release()
  }
  await service.clock.advance(60)
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject({ tokens: ['deleted'] })
  expect(await workLeft()).toEqual([])
})
