// Guarantee: a deletion that is acknowledged is one at the network and here: no number is left, nothing is paid with the card any
// more, and its mandates have ended. One that the network did not confirm changes nothing, and asking again finishes it.
import { CARD_DELETION_REASONS } from '@mintmark/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  approvedSession,
  CARDS,
  complete,
  createSession,
  dbRow,
  expectError,
  expectInvalid,
  newUser,
  paymentResult,
  report,
} from '../../test/flows.ts'
import { sessionBody, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { charge, chargeable } from '../charges/testing/charge.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { numberOf } from '../network/simulator/testing/cards.ts'
import { cardsOf, deleteCard, enrollCard, eventsAbout } from './testing/enrolled.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService()
  merchant = service.merchant
})
afterAll(() => service?.close())

const done = (card_id: string, was_default = true) => ({
  success: true,
  card_id,
  was_default,
  network_token_deleted: true,
})
const row = (id: string) => dbRow(service, 'select * from cards where id = $1', [id])
const tokenOf = (cardId: string) => dbRow(service, 'select * from simnet.tokens where card_id = $1', [cardId])

describe('a deleted card', () => {
  test('is gone from the network and the vault, and every repetition says the same', async () => {
    const user = newUser()
    const id = await enrollCard(service, merchant, user)
    const { vault_record_id } = await row(id)
    const deleted = await deleteCard(merchant, user, id, { reason: 'LOST' })
    expect(deleted).toMatchObject({ status: 200, body: done(id) })
    expect(Object.keys(deleted.body)).toEqual(['success', 'card_id', 'was_default', 'network_token_deleted'])
    expect(deleted.headers.get('cache-control')).toBe('no-store')
    expect((await tokenOf(id)).state).toBe('deleted')
    const { rows } = await service.pool.query('select id from vault_records where id = $1', [vault_record_id])
    expect(rows).toEqual([])
    expect(await row(id)).toMatchObject({ vault_record_id: null, deletion_reason: 'LOST', is_default: false })
    for (const reason of ['STOLEN', undefined]) {
      expect((await deleteCard(merchant, user, id, { reason })).body).toEqual(deleted.body)
    }
    expect((await row(id)).deletion_reason).toBe('LOST')
    expect(await cardsOf(merchant, user)).toEqual([`${id} deleted`])
    expect((await merchant.get(`/v1/listCards?customer_id=${user}`)).body).toEqual({ cards: [], count: 0 })
  })

  test('is told of once, without a secret', async () => {
    const user = newUser()
    const [first, second] = [
      await enrollCard(service, merchant, user),
      await enrollCard(service, merchant, user, CARDS.amex),
    ]
    await deleteCard(merchant, user, first, { reason: 'SUSPECTED_FRAUD' })
    await deleteCard(merchant, user, first)
    const [event, ...more] = await eventsAbout(service, first)
    expect(more).toEqual([])
    expect(event).toMatchObject({
      type: 'card.deleted',
      account_id: merchant.merchantId,
      resource: { type: 'card', id: first, version: 1 },
    })
    expect(event.data).toEqual({
      card_id: first,
      status: 'deleted',
      reason: 'SUSPECTED_FRAUD',
      was_default: true,
      new_default_card_id: second,
      network_token_deleted: true,
      card: { last4: '4242', brand: 'visa', exp_month: 12, exp_year: expect.any(Number) },
    })
  })

  test('that was the default makes the newest active one the default', async () => {
    const user = newUser()
    const a = await enrollCard(service, merchant, user)
    const b = await enrollCard(service, merchant, user, '5555555555554444')
    const c = await enrollCard(service, merchant, user, CARDS.amex)
    expect((await deleteCard(merchant, user, a)).body).toEqual(done(a))
    expect(await cardsOf(merchant, user)).toEqual([`${c} active*`, `${b} active`, `${a} deleted`])
    expect((await deleteCard(merchant, user, b)).body).toEqual(done(b, false))
    expect((await deleteCard(merchant, user, c)).body).toEqual(done(c))
    expect(await cardsOf(merchant, user)).toEqual([`${c} deleted`, `${b} deleted`, `${a} deleted`])
    // What came of it stays what it was.
    expect((await deleteCard(merchant, user, a)).body).toEqual(done(a))
  })

  test.each(CARD_DELETION_REASONS)('may be deleted for %s', async (reason) => {
    const user = newUser()
    const id = await enrollCard(service, merchant, user)
    expect((await deleteCard(merchant, user, id, { reason })).status).toBe(200)
    expect((await row(id)).deletion_reason).toBe(reason)
  })

  test('is not chosen by a session any more, and none can be created with it', async () => {
    const user = newUser()
    const id = await enrollCard(service, merchant, user)
    const open = await createSession(merchant, { user_id: user })
    await deleteCard(merchant, user, id)
    const chosen = await complete(merchant, open.session_id, { card_id: id })
    expectError(chosen, 400, 'CARD_INACTIVE')
    const created = await merchant.post('/v1/sessions', sessionBody({ user_id: user, card: { card_id: id } }))
    expectError(created, 400, 'CARD_INACTIVE')
  })
})

describe('when the network does not delete the token', () => {
  test.each(['deletion_fails_once', 'deletion_answer_lost'] as const)(
    'the card stays active, and asking again deletes it: %s',
    async (behaviour) => {
      const user = newUser()
      const id = await enrollCard(service, merchant, user, numberOf(behaviour))
      const before = await row(id)
      expectError(await deleteCard(merchant, user, id), 502, 'NETWORK_DELETE_FAILED')
      expect(await row(id)).toEqual(before)
      expect(await eventsAbout(service, id)).toEqual([])
      expect(await cardsOf(merchant, user)).toEqual([`${id} active*`])
      expect((await deleteCard(merchant, user, id)).body).toEqual(done(id))
      expect(await eventsAbout(service, id)).toHaveLength(1)
    },
  )

  test('because it knows of none, the card is deleted and the result says so', async () => {
    const user = newUser()
    const id = await enrollCard(service, merchant, user)
    await service.pool.query('delete from simnet.tokens where card_id = $1', [id])
    expect((await deleteCard(merchant, user, id)).body).toEqual({ ...done(id), network_token_deleted: false })
  })

  test('a row that was edited to name another token deletes neither', async () => {
    const [user, other] = [newUser(), newUser()]
    const [id, victim] = [await enrollCard(service, merchant, user), await enrollCard(service, merchant, other)]
    await service.pool.query('update cards set network_token_ref = $2 where id = $1', [
      id,
      (await row(victim)).network_token_ref,
    ])
    expectError(await deleteCard(merchant, user, id), 500, 'INTERNAL_ERROR')
    expect((await tokenOf(victim)).state).toBe('active')
    expect((await row(id)).status).toBe('active')
  })
})

test('what the network has deleted is not taken back: a failure here is made good without its caller', async () => {
  const owner = await newOwner(service)
  const mandateId = await chargeable(service, owner)
  const { card_id } = await dbRow(service, 'select card_id from mandates where id = $1', [mandateId])
  const client = await service.pool.connect()
  try {
    await client.query('begin')
    await client.query('select 1 from mandates where id = $1 for update', [mandateId])
    expectError(await deleteCard(merchant, owner.userId, card_id), 503, 'SERVICE_UNAVAILABLE')
  } finally {
    await client.query('rollback')
    client.release()
  }
  expect((await tokenOf(card_id)).state).toBe('deleted')
  await service.runJobs()
  expect(await row(card_id)).toMatchObject({ status: 'deleted', deletion_reason: 'OTHER', ending_reason: null })
  expect(await eventsAbout(service, card_id)).toHaveLength(1)
  expect((await deleteCard(merchant, owner.userId, card_id)).body).toEqual(done(card_id))
})

describe('the mandates that the card pays', () => {
  test('are cancelled, each with its event, and the network is told', async () => {
    const owner = await newOwner(service)
    const [active, paused] = [await chargeable(service, owner), await chargeable(service, owner)]
    expect((await merchant.post(`/v1/mandates/${paused}/pause`)).status).toBe(200)
    const waiting = await charge(merchant, active)
    const { card_id } = await dbRow(service, 'select card_id from mandates where id = $1', [active])
    expect((await deleteCard(merchant, owner.userId, card_id)).status).toBe(200)
    for (const [id, version] of [
      [active, 1],
      [paused, 2],
    ] as const) {
      expect((await merchant.get(`/v1/mandates/${id}`)).body).toMatchObject({ status: 'cancelled', state: 'cancelled' })
      const event = (await eventsAbout(service, id)).at(-1)
      expect(event).toMatchObject({ type: 'mandate.cancelled', resource: { type: 'mandate', id, version } })
      expect(event.data).toMatchObject({ mandate_id: id, status: 'cancelled' })
      expectError(await charge(merchant, id), 409, 'MANDATE_NOT_ACTIVE')
    }
    await service.runJobs()
    const { rows } = await service.pool.query(
      `select i.state, (select count(*)::int from open_work w where w.id = i.mandate_id) as left from simnet.instructions i
       where i.mandate_id = any($1)`,
      [[active, paused]],
    )
    expect(rows).toEqual([
      { state: 'cancelled', left: 0 },
      { state: 'cancelled', left: 0 },
    ])
    const path = `/v1/mandates/${active}/charges/${waiting.body.transactionId}/report`
    const reported = await merchant.post(path, { txn_status: 'APPROVED', txn_type: 'PURCHASE' })
    expectError(reported, 409, 'CHARGE_NOT_REPORTABLE')
  })

  test('whose time is over expire, as every read has said', async () => {
    const owner = await newOwner(service)
    const mandate = await chargeable(service, owner)
    const { card_id } = await dbRow(service, 'select card_id from mandates where id = $1', [mandate])
    const now = service.clock.now()
    await service.pool.query('update mandates set valid_until = $2 where id = $1', [mandate, now])
    await service.pool.query('update open_work set due_at = $2 where id = $1', [mandate, now])
    expect((await deleteCard(merchant, owner.userId, card_id)).status).toBe(200)
    await service.runJobs()
    expect((await merchant.get(`/v1/mandates/${mandate}`)).body).toMatchObject({ status: 'expired' })
    expect((await eventsAbout(service, mandate)).at(-1)).toMatchObject({ type: 'mandate.expired' })
  })

  test('a reference of a charge that waits returns it without its credential, which the network refuses now', async () => {
    const owner = await newOwner(service)
    const mandate = await chargeable(service, owner)
    const waiting = await charge(merchant, mandate, { reference: 'invoice-1' })
    const { card_id } = await dbRow(service, 'select card_id from mandates where id = $1', [mandate])
    await deleteCard(merchant, owner.userId, card_id)
    const again = await charge(merchant, mandate, { reference: 'invoice-1' })
    expect(again.body).toEqual({ ...waiting.body, credentials: null, deduplicated: true })
    const { token, dynamicCvv, expiryMonth, expiryYear } = waiting.body.credentials
    const spent = await merchant.post('/v1/test_helpers/authorizations', {
      ...{ token, dynamic_cvv: dynamicCvv, expiry_month: expiryMonth, expiry_year: expiryYear },
      ...{ amount: again.body.amount, currency: 'USD', merchant_url: 'https://tea.example' },
    })
    expect(spent).toMatchObject({ status: 200, body: { approved: false } })
    const path = `/v1/mandates/${mandate}/charges/${waiting.body.transactionId}/report`
    expect((await merchant.post(path, { txn_status: 'DECLINED', txn_type: 'PURCHASE' })).status).toBe(200)
    expectError(await charge(merchant, mandate, { reference: 'invoice-1' }), 409, 'MANDATE_NOT_ACTIVE')
  })

  test('those of checkouts as well; their payments are reported as ever', async () => {
    const user = newUser()
    const { id, item } = await approvedSession(merchant, CARDS.success, { user_id: user })
    const { card_id, mandate_id } = await dbRow(service, 'select * from charges where opened_by = $1', [id])
    await deleteCard(merchant, user, card_id)
    expect((await merchant.get(`/v1/mandates/${mandate_id}`)).body.status).toBe('cancelled')
    expect((await eventsAbout(service, mandate_id)).map(({ type }) => type)).toEqual(['mandate.cancelled'])
    expect((await paymentResult(merchant, id)).body.status).toBe('awaiting_result')
    const { credential_state } = await dbRow(
      service,
      'select n.credential_state from simnet.mints n join charges c on c.id = n.charge_id where c.opened_by = $1',
      [id],
    )
    expect(credential_state).toBe('closed')
    const declined = await report(merchant, id, { txn_ref_id: item.txn_ref_id, txn_status: 'DECLINED' })
    expect(declined.status).toBe(200)
  })

  test('one that waits for the network comes to nothing, as its session says', async () => {
    const user = newUser()
    const session = await createSession(merchant, { user_id: user, mandate_setup: { recurring_frequency: 'monthly' } })
    const body = { card_number: CARDS.instructionAnswerLost }
    expect((await complete(merchant, session.session_id, body)).body.status).toBe('processing')
    const { mandate_id } = await dbRow(service, 'select mandate_id from sessions where id = $1', [session.session_id])
    const { card_id } = await dbRow(service, 'select card_id from mandates where id = $1', [mandate_id])
    expect((await deleteCard(merchant, user, card_id)).status).toBe(200)
    const [event] = await eventsAbout(service, session.session_id)
    expect(event).toMatchObject({ type: 'mandate.creation_failed', resource: { type: 'mandate_setup', version: 1 } })
    expect(event.data).toMatchObject({ mandate_id, status: 'failed', failure_category: 'card_declined' })
    await service.clock.advance(60)
    await service.runJobs()
    expect((await merchant.get(`/v1/mandates/${mandate_id}`)).body.status).toBe('cancelled')
    const result = (await paymentResult(merchant, session.session_id)).body
    expect(result).toMatchObject({ status: 'failed', error: { code: 'CARD_DECLINED' } })
    expect((await eventsAbout(service, session.session_id)).length).toBe(1)
    const { state } = await dbRow(service, 'select state from simnet.instructions where mandate_id = $1', [mandate_id])
    expect(state).toBe('cancelled')
  })

  test('a payment that the network has not answered comes to nothing', async () => {
    const user = newUser()
    const { session_id } = await createSession(merchant, { user_id: user })
    await complete(merchant, session_id, { card_number: CARDS.mintRequestLost })
    const { card_id, mandate_id } = await dbRow(service, 'select * from charges where opened_by = $1', [session_id])
    await deleteCard(merchant, user, card_id)
    await service.clock.advance(60)
    await service.runJobs()
    expect((await paymentResult(merchant, session_id)).body).toMatchObject({ status: 'failed' })
    expect((await merchant.get(`/v1/mandates/${mandate_id}`)).body.status).toBe('cancelled')
  })

  test('of the customer’s other cards stay', async () => {
    const owner = await newOwner(service)
    const mandate = await chargeable(service, owner)
    const other = await enrollCard(service, merchant, owner.userId, CARDS.amex)
    expect((await deleteCard(merchant, owner.userId, other)).status).toBe(200)
    expect((await charge(merchant, mandate)).body.status).toBe('awaiting_result')
  })
})

describe('a deletion is refused', () => {
  test.each([
    [undefined, { customer_id: 'is required', card_id: 'is required' }],
    [{}, { customer_id: 'is required', card_id: 'is required' }],
    [{ customer_id: 'user-1' }, { card_id: 'is required' }],
    [{ card_id: 'card_1' }, { customer_id: 'is required' }],
    [
      { customer_id: '', card_id: '' },
      { customer_id: 'is required', card_id: 'is required' },
    ],
    [
      { customer_id: 'user-1', reason: 'x' },
      { card_id: 'is required', reason: expect.any(String) },
    ],
  ])('without what it is about: %j', async (body, details) => {
    const answer = await merchant.post('/v1/deleteCard', body)
    expectError(answer, 400, 'INVALID_REQUEST')
    expect(answer.body.error.details).toEqual(details)
  })

  test.each([
    [{ reason: 'BORED' }, 'reason'],
    [{ reason: null }, 'reason'],
    [{ force: true }, 'force'],
    [{ card_id: 7 }, 'card_id'],
  ])('for %j', async (change, field) => {
    expectInvalid(await merchant.post('/v1/deleteCard', { customer_id: 'u', card_id: 'c', ...change }), field)
  })

  test('of a card or a customer that is another merchant’s, another customer’s, or nobody’s: all alike', async () => {
    const shop = await service.addMerchant()
    const [user, stranger] = [newUser(), newUser()]
    const id = await enrollCard(service, shop, user)
    await enrollCard(service, merchant, stranger)
    expectError(await deleteCard(merchant, user, id), 404, 'CUSTOMER_NOT_FOUND')
    const theirs = await deleteCard(merchant, stranger, id)
    const nobodys = await deleteCard(merchant, stranger, 'card_nobodys')
    expectError(theirs, 404, 'NOT_FOUND')
    expect(theirs.body).toEqual(nobodys.body)
    const [one, two] = [newUser(), newUser()]
    const card = await enrollCard(service, merchant, one)
    await createSession(merchant, { user_id: two })
    expectError(await deleteCard(merchant, two, card), 404, 'NOT_FOUND')
    expect((await row(card)).status).toBe('active')
    expect((await row(id)).status).toBe('active')
  })

  test('of a card that the network never accepted', async () => {
    const user = newUser()
    const { session_id } = await createSession(merchant, { user_id: user })
    await complete(merchant, session_id, { card_number: CARDS.refused })
    const { id } = await dbRow(
      service,
      'select cards.id from cards join customers c on c.id = customer_id where external_user_id = $1',
      [user],
    )
    expectError(await deleteCard(merchant, user, id), 404, 'NOT_FOUND')
  })
})
