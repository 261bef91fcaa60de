// Guarantee: a card that ends without having been accepted has no token at the network either, also where the network accepted it and
// this service did not hear of that (fault C2).
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cardholder } from '../../test/cardholder.ts'
import {
  atOnce,
  CARDS,
  createEnrollment,
  dbRow,
  enroll,
  expectError,
  newUser,
  revoke,
  vaultRecord,
} from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { cardOf, GONE, standing, type Visit, visit } from './testing/once.ts'

let service: TestService
const { log, alarms } = keepLog('error')
beforeAll(async () => {
  service = await startTestService({ log })
})
afterAll(() => service?.close())

const DAY_SECONDS = 24 * 3600

/** Entered, and accepted by the network, whose answer was lost. */
async function unheard(changes: object = {}) {
  const visitor = await visit(service)
  expectError(await visitor.enter(CARDS.provisionAnswerLost, changes), 503, 'NETWORK_UNAVAILABLE')
  const id = await onlyCardOf(visitor.user)
  expect(await standing(service, id)).toMatchObject({ status: 'provisioning', tokens: ['active'] })
  return { id, visitor }
}

async function onlyCardOf(user: string): Promise<string> {
  const find = 'select c.id from cards c join customers u on u.id = c.customer_id where u.external_user_id = $1'
  return (await dbRow(service, find, [user])).id
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

test('one that was for one payment whose session was left until its time was over', async () => {
  const { id } = await unheard({ once: true })
  await service.clock.advance(901)
  // The first ends the session, and what follows of it is looked at again when nothing can be on its way any more.
  await service.runJobs()
  await service.clock.advance(61)
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject({ ...GONE, tokens: ['deleted'] })
})

const ENDS = [
  ['left until its time was over', async () => void (await service.clock.advance(901))],
  ['cancelled', async ({ page }) => void (await page.post('/api/cancel'))],
  ['revoked', async ({ sessionId }) => void (await revoke(service.merchant, sessionId))],
] as const satisfies readonly (readonly [string, (visitor: Visit) => Promise<void>])[]
test.each(ENDS)('one that was to be kept, whose session was %s: with the day that it had', async (_, end) => {
  const { id, visitor } = await unheard()
  await end(visitor)
  await service.runJobs()
  await service.clock.advance(DAY_SECONDS + 1)
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject({ ...GONE, tokens: ['deleted'] })
  expect(await workLeft()).toEqual([])
})

test('one that was entered to be enrolled, whose session was left', async () => {
  const user_id = newUser()
  const { session_token } = await createEnrollment(service.merchant, { user_id })
  const page = cardholder(service, session_token)
  await page.post('/api/consent', { given: true })
  const card = { card_number: CARDS.provisionAnswerLost, expiry_month: '12', expiry_year: '2040', cvv: '123' }
  expectError(await page.post('/api/cards', card), 503, 'NETWORK_UNAVAILABLE')
  const id = await onlyCardOf(user_id)
  expect(await standing(service, id)).toMatchObject({ status: 'provisioning', tokens: ['active'] })
  await service.clock.advance(DAY_SECONDS + 1)
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject({ ...GONE, tokens: ['deleted'] })
})

test('one whose customer is erased before the network has been told: it is told all the same', async () => {
  const { id, visitor } = await unheard()
  const { merchantId } = service.merchant
  const erase = () => service.app.customers.erase(merchantId, visitor.user)
  await visitor.page.post('/api/cancel')
  // What the network may have accepted is no more than begun here, and no customer is forgotten of whom that is open.
  await expect(erase()).rejects.toThrow('Nothing was changed')
  await service.clock.advance(DAY_SECONDS + 1)
  await service.job('cards.shred_abandoned').run()
  expect(await standing(service, id)).toMatchObject({ status: 'deleted', tokens: ['active'] })
  await erase()
  expect(await workLeft()).toEqual([{ id }])
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject({ ...GONE, tokens: ['deleted'] })
})

test('one that its merchant provisions alone: it is asked about until the network says that it has it', async () => {
  const user_id = newUser()
  const vault_ref_id = await vaultRecord(service.merchant, { card_number: CARDS.provisionAnswerLost })
  expectError(await enroll(service.merchant, { user_id, vault_ref_id }), 503, 'NETWORK_UNAVAILABLE')
  const id = await onlyCardOf(user_id)
  expect(await standing(service, id)).toMatchObject({ status: 'provisioning', tokens: ['active'] })
  await service.clock.advance(60)
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject({ status: 'active', tokens: ['active'] })
  const deleted = await service.merchant.post('/v1/deleteCard', { customer_id: user_id, card_id: id })
  expect(deleted.body).toMatchObject({ network_token_deleted: true })
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
    await client.query('select 1 from simnet.tokens where card_id = $1 for update', [id])
    await service.pool.query("update open_work set attempts = 33 where kind = 'token'")
    await round()
    expect(await standing(service, id)).toMatchObject({ status: 'deleted', number: false, tokens: ['active'] })
    expect(await workLeft()).toEqual([{ id }])
    expect(alarms('work_stuck')).toMatchObject([{ job: 'cards.end_tokens', row_id: id, attempt: 34 }])
  } finally {
    await client.query('rollback')
    client.release()
  }
  await service.clock.advance(60)
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject({ tokens: ['deleted'] })
  expect(await workLeft()).toEqual([])
})
