// Guarantee: a card that its cardholder entered for one payment alone is used in that payment only, is never shown as kept,
// and is gone from the network and from here within a minute of the payment's end, however that came, and not before.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, newAuthenticator } from '../../test/cardholder.ts'
import {
  authorization,
  CARDS,
  complete,
  createEnrollment,
  createSession,
  dbRow,
  expectError,
  expectInvalid,
  inCustom,
  newUser,
  paymentResult,
  revoke,
  vaultRecord,
} from '../../test/flows.ts'
import { sessionBody, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { startWakes } from '../jobs/wake.ts'
import { STEP_UP_CODE } from '../network/simulator/test-cards.ts'
import { numberOf } from '../network/simulator/testing/cards.ts'
import { createLog } from '../platform/log.ts'
import { cardsOf, deleteCard, enrollCard, eventsAbout } from './testing/enrolled.ts'
import { approve, cardOf, GONE, payOnce, reportItem, standing, type Visit, visit } from './testing/once.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ env: { RATE_LIMIT_ENROLLMENT: '100000' } })
  merchant = service.merchant
})
afterAll(() => service?.close())

const stands = (cardId: string) => standing(service, cardId)
const MASTERCARD = '5555555555554444'

describe('just this once', () => {
  test('a new card is used in its payment, and deleted when that is reported, and not before', async () => {
    const visitor = await visit(service)
    const id = await payOnce(service, visitor)
    expect(await stands(id)).toMatchObject({
      status: 'active',
      is_default: false,
      once_sessions: [visitor.sessionId],
      work: 1,
    })
    // Nothing that a worker does meanwhile touches it: its credential can be spent.
    await service.runJobs()
    await service.clock.advance(120)
    await service.runJobs()
    const { item } = await waitingItem(visitor.sessionId)
    const spent = await merchant.post('/v1/test_helpers/authorizations', authorization(item))
    expect(spent.body).toMatchObject({ approved: true })
    await reportItem(merchant, visitor.sessionId)
    expect((await stands(id)).status).toBe('active')
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ ...GONE, tokens: ['deleted'], deletion_reason: 'JUST_ONCE' })
    const [event, ...more] = await eventsAbout(service, id)
    expect(more).toEqual([])
    expect(event).toMatchObject({ type: 'card.deleted', resource: { type: 'card', id, version: 1 } })
    expect(event.data).toEqual({
      ...{ card_id: id, status: 'deleted', reason: 'JUST_ONCE', was_default: false, new_default_card_id: null },
      network_token_deleted: true,
      card: { last4: '4242', brand: 'visa', exp_month: 12, exp_year: service.clock.now().getUTCFullYear() + 3 },
    })
    // The next payment asks for a card again; the passkey is the customer's and stays.
    const { user, authenticator } = visitor
    const next = await visit(service, { user, authenticator })
    expect((await next.page.get('/api/session')).body).toMatchObject({ step: 'card', cards: [], has_passkey: true })
    expect((await next.enter(MASTERCARD, {})).body).toMatchObject({ step: 'approval', card_once: false })
    expect((await approve(next)).body.outcome).toBe('approved')
  })

  test('is for payments, and for a number that is typed', async () => {
    const card = { card_number: CARDS.success, expiry_month: '12', expiry_year: '2040', cvv: '123', once: true }
    const setup = await createSession(merchant, { mandate_setup: { recurring_frequency: 'monthly' } })
    expectInvalid(await cardholder(service, setup.session_token).post('/api/cards', card), 'once')
    const enrollment = await createEnrollment(merchant)
    expectInvalid(await cardholder(service, enrollment.session_token).post('/api/cards', card), 'once')
    const onFile = await createSession(merchant, { card: { vault_ref_id: await vaultRecord(merchant) } })
    const page = cardholder(service, onFile.session_token)
    expectInvalid(await page.post('/api/cards', { cvv: '123', once: true }), 'once')
    expect((await page.post('/api/cards', { ...card, once: 'yes' })).status).toBe(400)
    expect((await page.post('/api/cards', { ...card, once: false })).body).toMatchObject({ card_once: false })
  })

  test('a card that is kept already stays kept, as what it is', async () => {
    const user = newUser()
    const id = await enrollCard(service, merchant, user)
    const visitor = await visit(service, { user })
    expect((await visitor.enter()).body).toMatchObject({ card: { card_id: id }, card_once: false })
    await approve(visitor)
    await reportItem(merchant, visitor.sessionId)
    await service.clock.advance(3_600)
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ status: 'active', once_sessions: null, is_default: true, work: 0 })
    expect(await cardsOf(merchant, user)).toEqual([`${id} active*`])
  })

  test('is not listed while it lives, is no default, and is listed as deleted then', async () => {
    const user = newUser()
    const visitor = await visit(service, { user })
    const id = await payOnce(service, visitor)
    expect(await cardsOf(merchant, user)).toEqual([])
    const kept = await enrollCard(service, merchant, user, MASTERCARD)
    expect(await cardsOf(merchant, user)).toEqual([`${kept} active*`])
    await reportItem(merchant, visitor.sessionId)
    await service.runJobs()
    expect(await cardsOf(merchant, user)).toEqual([`${kept} active*`, `${id} deleted`])
    const result = { success: true, card_id: id, was_default: false, network_token_deleted: true }
    expect((await deleteCard(merchant, user, id)).body).toEqual(result)
  })

  test('a merchant’s deletion of the kept card does not make it the default', async () => {
    const user = newUser()
    const kept = await enrollCard(service, merchant, user, MASTERCARD)
    const id = await payOnce(service, await visit(service, { user }))
    expect((await deleteCard(merchant, user, kept)).body).toMatchObject({ was_default: true })
    expect(await stands(id)).toMatchObject({ status: 'active', is_default: false })
    // It may be deleted by its merchant before its time; then that is the reason.
    expect((await deleteCard(merchant, user, id, { reason: 'STOLEN' })).body).toMatchObject({ was_default: false })
    expect(await stands(id)).toMatchObject({ ...GONE, deletion_reason: 'STOLEN' })
  })

  test('no other session of the customer may use it, nor is one created with it', async () => {
    const user = newUser()
    const authenticator = newAuthenticator(service)
    const first = await visit(service, { user, authenticator })
    await first.enter()
    const id = await cardOf(service, first.sessionId)
    await first.page.registerPasskey()
    await approve(first)
    // By now it belongs to the customer's passkey.
    expect((await dbRow(service, 'select passkey_id from cards where id = $1', [id])).passkey_id).not.toBeNull()
    const second = await visit(service, { user, authenticator })
    expect((await second.page.get('/api/session')).body).toMatchObject({ step: 'card', cards: [] })
    expectError(await second.page.post('/api/cards/select', { card_id: id }), 400, 'CARD_NOT_FOUND')
    expectError(await complete(merchant, second.sessionId, { card_id: id }), 400, 'CARD_NOT_FOUND')
    const created = await merchant.post('/v1/sessions', sessionBody({ user_id: user, card: { card_id: id } }))
    expectError(created, 400, 'CARD_NOT_FOUND')
    // Not even where the session had chosen it: as when it was kept, deleted and entered anew meanwhile.
    await service.pool.query('update sessions set card_id = $1 where id = $2', [id, second.sessionId])
    expectError(await second.page.post('/api/approval-options', { frame: { embedded: false } }), 400, 'INVALID_STATE')
  })

  test('a card that was deleted and is entered for this once is deleted again, with an event of its own', async () => {
    const user = newUser()
    const id = await enrollCard(service, merchant, user)
    await deleteCard(merchant, user, id, { reason: 'LOST' })
    const visitor = await visit(service, { user })
    expect(await payOnce(service, visitor)).toBe(id)
    await reportItem(merchant, visitor.sessionId, 'DECLINED')
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ ...GONE, tokens: ['deleted', 'deleted'], deletion_reason: 'JUST_ONCE' })
    expect((await eventsAbout(service, id)).map(({ data }) => data.reason)).toEqual(['LOST', 'JUST_ONCE'])
  })
})

async function waitingItem(sessionId: string) {
  const { body } = await paymentResult(merchant, sessionId)
  return { item: body.transactions[0].line_items[0] }
}

describe('it is deleted after every end of its session', () => {
  type End = (visitor: Visit) => Promise<unknown>
  const approved =
    (end: End): End =>
    async (visitor) => {
      await approve(visitor)
      await end(visitor)
    }
  const reported = (status: string) => approved(({ sessionId }) => reportItem(merchant, sessionId, status))
  const revoked: End = ({ sessionId }) => revoke(merchant, sessionId)
  const timePasses: End = () => service.clock.advance(16 * 60)
  const ends: [string, End, string?][] = [
    ['reported as approved', reported('APPROVED')],
    ['reported as declined', reported('DECLINED')],
    ['refused by the network', approve, CARDS.mintDeclined],
    ['refused as an instruction', approve, CARDS.instructionRefused],
    ['cancelled', ({ page }) => page.post('/api/cancel')],
    ['revoked', revoked],
    ['revoked while the network is asked', approved(revoked), CARDS.mintRequestLost],
    ['expired', timePasses],
    ['approved and never reported', approved(timePasses)],
    [
      'left for another card, which paid',
      async (visitor) => {
        expect((await visitor.enter(MASTERCARD, {})).body).toMatchObject({ card_once: false })
        await reported('APPROVED')(visitor)
      },
    ],
  ]
  test.each(ends)('%s', async (_name, end, number) => {
    const visitor = await visit(service)
    expect((await visitor.enter(number)).body).toMatchObject({ card_once: true })
    const id = await cardOf(service, visitor.sessionId)
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ status: 'active', work: 1 })
    await end(visitor)
    await service.runJobs()
    // Within a minute, without a request.
    for (let seconds = 0; seconds < 60; seconds += 15) {
      await service.clock.advance(15)
      await service.runJobs()
    }
    expect(await stands(id)).toMatchObject({ ...GONE, tokens: ['deleted'], deletion_reason: 'JUST_ONCE' })
    expect((await eventsAbout(service, id)).map(({ type }) => type)).toEqual(['card.deleted'])
    const { rows } = await service.pool.query(
      `select id from mandates where card_id = $1 and status in ('pending', 'active', 'paused')`,
      [id],
    )
    expect(rows).toEqual([])
  })

  test('left for another card, it does not wait for the credential of that one', async () => {
    const visitor = await visit(service, { changes: inCustom({}, {}, { effective_until_minutes: 600 }) })
    await visitor.enter()
    const id = await cardOf(service, visitor.sessionId)
    await visitor.enter(MASTERCARD, {})
    await approve(visitor)
    await service.clock.advance(16 * 60)
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ ...GONE, tokens: ['deleted'] })
    expect((await paymentResult(merchant, visitor.sessionId)).body).toMatchObject({ status: 'awaiting_result' })
  })

  test('and not while the network has not said whether there is a credential', async () => {
    const visitor = await visit(service)
    await visitor.enter(CARDS.mintRequestLost)
    const id = await cardOf(service, visitor.sessionId)
    expect((await approve(visitor)).body).toMatchObject({ step: 'processing' })
    await service.pool.query(`update charges set work_due_at = '2100-01-01' where opened_by = $1`, [visitor.sessionId])
    await service.pool.query('update open_work set due_at = $2 where id = $1', [id, service.clock.now()])
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ status: 'active', ending_reason: null, tokens: ['active'], work: 1 })
  })

  test('a card that waits for its code is ended with the session, with its number', async () => {
    const visitor = await visit(service)
    expect((await visitor.enter(CARDS.stepUp)).body.step).toBe('card_verification')
    const id = await cardOf(service, visitor.sessionId)
    await visitor.page.post('/api/cancel')
    await service.runJobs()
    // An entry of it may be on its way to the network for a minute.
    expect(await stands(id)).toMatchObject({ status: 'provisioning', number: true })
    await service.clock.advance(61)
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ ...GONE, deletion_reason: null })
    expect(await eventsAbout(service, id)).toEqual([])
  })

  test('one that is looked at again later wakes the loop, which has looked while it was in hand', async () => {
    const { pool, clock, database } = service
    const log = createLog({ level: 'silent' })
    const wakes = startWakes({ pool, connection: database.connection, log, refreshClock: clock.refresh })
    let woken = 0
    wakes.add('cards.delete', () => {
      woken += 1
      return true
    })
    try {
      // The connection came.
      await expect.poll(() => woken).toBe(1)
      const visitor = await visit(service)
      await visitor.enter(CARDS.stepUp)
      await visitor.page.post('/api/cancel')
      const [card, before] = [await cardOf(service, visitor.sessionId), woken]
      const job = service.job('cards.delete')
      expect((await job.run()).taken).toBeGreaterThan(0)
      await job.settled?.()
      expect(await stands(card)).toMatchObject({ status: 'provisioning', work: 1 })
      await expect.poll(() => woken).toBeGreaterThan(before)
    } finally {
      await wakes.stop()
    }
  })

  test('the code of the network confirms the choice that was made with the number', async () => {
    const visitor = await visit(service)
    await visitor.enter(CARDS.stepUp)
    const verified = await visitor.page.post('/api/cards/verify', { code: STEP_UP_CODE })
    expect(verified.body).toMatchObject({ step: 'passkey_registration', card_once: true })
    // Entered again with the other choice, and confirmed: the last one counts until it is kept, and then it is kept.
    const other = await visit(service, { user: newUser() })
    await other.enter(CARDS.stepUp, {})
    await other.enter(CARDS.stepUp)
    expect((await other.page.post('/api/cards/verify', { code: STEP_UP_CODE })).body.card_once).toBe(true)
    expect((await other.enter(CARDS.stepUp, {})).body).toMatchObject({ card_once: false })
    const id = await cardOf(service, other.sessionId)
    expect(await stands(id)).toMatchObject({ status: 'active', once_sessions: null, is_default: true })
  })

  test.each(['deletion_fails_once', 'deletion_answer_lost'] as const)('the network fails: %s', async (behaviour) => {
    const visitor = await visit(service)
    await visitor.enter(numberOf(behaviour))
    const id = await cardOf(service, visitor.sessionId)
    await visitor.page.post('/api/cancel')
    // One round: on a busy machine the next try may be due before all jobs have been asked.
    const deletions = service.job('cards.delete')
    await deletions.run()
    await deletions.settled?.()
    expect(await stands(id)).toMatchObject({ status: 'active', ending_reason: 'JUST_ONCE', number: true, work: 1 })
    await service.clock.advance(2)
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ ...GONE, tokens: ['deleted'] })
    expect(await eventsAbout(service, id)).toHaveLength(1)
  })

  test('an edited token is deleted nowhere', async () => {
    const [victim, thief] = [await visit(service), await visit(service)]
    await Promise.all([victim.enter(), thief.enter(MASTERCARD)])
    const [theirs, mine] = [await cardOf(service, victim.sessionId), await cardOf(service, thief.sessionId)]
    await service.pool.query(
      'update cards set network_token_ref = v.network_token_ref from cards v where cards.id = $1 and v.id = $2',
      [mine, theirs],
    )
    await thief.page.post('/api/cancel')
    await service.runJobs()
    expect(await stands(mine)).toMatchObject({ status: 'active', tokens: ['active'] })
    expect(await stands(theirs)).toMatchObject({ status: 'active', tokens: ['active'] })
    await service.pool.query(`delete from open_work where id = $1`, [mine])
  })
})

describe('a worker that died', () => {
  test.each([
    ['before it asked the network', 'active'],
    ['after the network’s word', 'deleted'],
  ])('%s is followed by another one', async (_name, token) => {
    const visitor = await visit(service)
    await visitor.enter()
    const id = await cardOf(service, visitor.sessionId)
    await visitor.page.post('/api/cancel')
    // What its first decision wrote.
    await service.pool.query(`update cards set ending_reason = 'JUST_ONCE' where id = $1`, [id])
    await service.pool.query(
      `update open_work set lease_until = $2, lease_fence = lease_fence + 1 where kind = 'deletion' and id = $1`,
      [id, new Date(service.clock.now().getTime() + 30_000)],
    )
    await service.pool.query('update simnet.tokens set state = $2 where card_id = $1', [id, token])
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ status: 'active', number: true })
    await service.clock.advance(31)
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ ...GONE, tokens: ['deleted'], deletion_reason: 'JUST_ONCE' })
    expect(await eventsAbout(service, id)).toHaveLength(1)
  })
})
