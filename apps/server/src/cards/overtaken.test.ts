// Guarantee: what became of a card while the network was asked about an entry of it is seen by what the network's word writes.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { blockedBy } from '../../test/blocked.ts'
import { cardholder } from '../../test/cardholder.ts'
import { atOnce, CARDS, countBy, createEnrollment, dbRow, expectError, newUser } from '../../test/flows.ts'
import { type Answer, startTestService, type TestService } from '../../test/service.ts'
import { sqlState } from '../db/errors.ts'
import { Together } from '../db/prepared.ts'
import { STEP_UP_CODE } from '../network/simulator/test-cards.ts'
import { deleteCard, enrollCard } from './testing/enrolled.ts'
import { cardOf, GONE, standing, type Visit, visit } from './testing/once.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ isForCrowds: true })
})
afterAll(() => service?.close())

const KEPT = { once: false }
const entered = (year: number, more: object = KEPT) => ({ expiry_year: String(year), ...more })
const expiries = (cardId: string) =>
  dbRow(
    service,
    `select c.exp_year as card, v.exp_year as record, c.enrolment from cards c
     join vault_records v on v.merchant_id = c.merchant_id and v.id = c.vault_record_id where c.id = $1`,
    [cardId],
  )

/** Sends what the network is asked about, and does `meanwhile` before its word can be written in the session. */
const during = (of: Visit, send: () => Promise<Answer>, meanwhile: () => Promise<unknown>) =>
  blockedBy(service, ['select from sessions where id = $1 for update', [of.sessionId]], send, meanwhile)

describe('another entry of the card was accepted', () => {
  test('the later word stands: card and record have its expiry, and its session has the card', async () => {
    const user = newUser()
    const [first, second] = [await visit(service, { user }), await visit(service, { user })]
    const send = () => first.enter(CARDS.success, entered(2041))
    const answer = await during(first, send, () => second.enter(CARDS.success, entered(2043)))
    const id = await cardOf(service, second.sessionId)
    expect(answer.body).toMatchObject({ step: 'passkey_registration', card: { card_id: id } })
    expect(await expiries(id)).toEqual({ card: 2041, record: 2041, enrolment: 1 })
  })

  test('for this once, and this one is kept: so is the card, and nothing is left to delete it', async () => {
    const user = newUser()
    const [first, second] = [await visit(service, { user }), await visit(service, { user })]
    const answer = await during(
      first,
      () => first.enter(CARDS.success, KEPT),
      () => second.enter(),
    )
    const { card_id } = answer.body.card
    expect(await standing(service, card_id)).toMatchObject({ once_sessions: null, is_default: true, work: 0 })
  })

  test('to be kept, and this one is for this once: the card is kept, also when this session is over', async () => {
    const user = newUser()
    const [first, second] = [await visit(service, { user }), await visit(service, { user })]
    const answer = await during(
      first,
      () => first.enter(),
      () => second.enter(CARDS.success, KEPT),
    )
    expect(answer.body).toMatchObject({ card_once: false })
    await first.page.post('/api/cancel')
    await service.clock.advance(3_600)
    await service.runJobs()
    const kept = { status: 'active', once_sessions: null, is_default: true, work: 0 }
    expect(await standing(service, answer.body.card.card_id)).toMatchObject(kept)
  })
})

test('its deletion has begun: it is finished, and the card is enrolled anew', async () => {
  const user = newUser()
  const first = await visit(service, { user })
  await first.enter()
  const id = await cardOf(service, first.sessionId)
  const second = await visit(service, { user })
  const begins = "update cards set ending_reason = 'JUST_ONCE' where id = $1"
  const answer = await during(
    second,
    () => second.enter(CARDS.success, entered(2041)),
    () => service.pool.query(begins, [id]),
  )
  expect(answer.body).toMatchObject({ card: { card_id: id }, card_once: false })
  expect(await standing(service, id)).toMatchObject({ ending_reason: null, tokens: ['deleted', 'active'], work: 0 })
  expect(await expiries(id)).toEqual({ card: 2041, record: 2041, enrolment: 2 })
})

describe('the session is over by the time that the code was right', () => {
  const verifyLate = (visitor: Visit) => {
    const ends = ['update sessions set closed_at = now() where id = $1', [visitor.sessionId]] as const
    return blockedBy(service, ends, () => visitor.page.post('/api/cards/verify', { code: STEP_UP_CODE }))
  }

  test('the card is active, for that session alone, and goes', async () => {
    const visitor = await visit(service)
    await visitor.enter(CARDS.stepUp)
    const id = await cardOf(service, visitor.sessionId)
    expectError(await verifyLate(visitor), 400, 'INVALID_STATE')
    const alone = { status: 'active', once_sessions: [visitor.sessionId], work: 1 }
    expect(await standing(service, id)).toMatchObject(alone)
    await service.clock.advance(3_600)
    await service.runJobs()
    expect(await standing(service, id)).toMatchObject(GONE)
  })

  test('a card whose last entry keeps it is kept', async () => {
    const user = newUser()
    const [first, second] = [await visit(service, { user }), await visit(service, { user })]
    await first.enter(CARDS.stepUp)
    await second.enter(CARDS.stepUp, KEPT)
    await verifyLate(first)
    const kept = { status: 'active', once_sessions: null, is_default: true, work: 0 }
    expect(await standing(service, await cardOf(service, second.sessionId))).toMatchObject(kept)
  })
})

test.each([
  ['refused', '000'],
  ['begun, and left', '123'],
])(
  'a card that is kept has no work to delete it, also where it was entered for this once before, and %s',
  async (_, cvv) => {
    const user = newUser()
    const [first, second] = [await visit(service, { user }), await visit(service, { user })]
    await first.enter(CARDS.stepUp, { once: true, cvv })
    await second.enter(CARDS.stepUp, KEPT)
    expect((await second.page.post('/api/cards/verify', { code: STEP_UP_CODE })).status).toBe(200)
    const id = await cardOf(service, second.sessionId)
    expect(await standing(service, id)).toMatchObject({ status: 'active', once_sessions: null, work: 0 })
  },
)

test('a card that a code makes one for a session again has work to delete it, though that had ended when another kept it', async () => {
  const user = newUser()
  const [first, second] = [await visit(service, { user }), await visit(service, { user })]
  await first.enter(CARDS.stepUp)
  const id = await cardOf(service, first.sessionId)
  await second.enter(CARDS.stepUp, KEPT)
  await service.pool.query("update open_work set due_at = now() where kind = 'deletion' and id = $1", [id])
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject({ status: 'provisioning', once_sessions: null, work: 0 })
  await first.page.post('/api/cards/verify', { code: STEP_UP_CODE })
  expect(await standing(service, id)).toMatchObject({ status: 'active', once_sessions: [first.sessionId], work: 1 })
  await first.page.post('/api/cancel')
  await service.clock.advance(3_600)
  await service.runJobs()
  expect(await standing(service, id)).toMatchObject(GONE)
})

test('a row that somebody edited while it began anew is not asked about, nor sealed', async () => {
  const user = newUser()
  const id = await enrollCard(service, service.merchant, user)
  await deleteCard(service.merchant, user, id)
  const other = (await visit(service)).sessionId
  await service.pool.query(`create function edit_card() returns trigger language plpgsql as $$ begin
    new.customer_id := (select customer_id from sessions where id = '${other}'); return new; end $$`)
  await service.pool.query(`create trigger edit_card before update on cards for each row
    when (new.status = 'provisioning') execute function edit_card()`)
  try {
    const answer = await (await visit(service, { user })).enter(CARDS.success, KEPT)
    expectError(answer, 500, 'INTERNAL_ERROR')
  } finally {
    await service.pool.query('drop function edit_card cascade')
  }
  expect(await standing(service, id)).toMatchObject({ status: 'provisioning', tokens: ['deleted'] })
})

test('entries in the tabs of one enrollment wait for each other in turn, and never in a ring', async () => {
  const failed = vi.spyOn(Together.prototype, 'handleError')
  for (let round = 0; round < 8; round += 1) {
    const { session_token } = await createEnrollment(service.merchant, { user_id: newUser() })
    const answers = await atOnce(8, () => cardholder(service, session_token).enterCard(CARDS.success))
    expect(countBy(answers, ({ status }) => status)).toEqual({ 200: 8 })
  }
  const deadlocks = failed.mock.calls.filter(([error]) => sqlState(error) === '40P01')
  failed.mockRestore()
  expect(deadlocks).toEqual([])
})
