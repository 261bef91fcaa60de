import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, newAuthenticator } from '../../test/cardholder.ts'
import { CARDS, createEnrollment, createSession, newUser, paymentResult, vaultRecord } from '../../test/flows.ts'
import { PATIENT, startTestService, type TestService } from '../../test/service.ts'
import { type AddedShop, fromQuote, quoted, scriptedShops } from '../checkout/quotes/testing/scripted-shop.ts'
import { readTogether } from '../db/pipeline.ts'
import { claimChallenge } from '../passkeys/service.ts'
import { callerOf, find, findLaunched, findOnSurface, findToSign } from './read.ts'
import { READ_AS, type ReadAs } from './rules.ts'
import { listPayments, listSetups } from './store.ts'
import { issueChallenge } from './surface-store.ts'

// Guarantee: a session is read by the text of its kind, also by who does not know its kind; and its page is the same whether it
// was launched or its token is known.

const shops = scriptedShops()
let service: TestService
let shop: AddedShop
beforeAll(async () => {
  service = await startTestService({ env: PATIENT, createCheckout: shops.createCheckout })
  shop = await shops.add(service)
})
afterAll(() => service?.close())

/** What is read of a session in each of the ways. */
async function readAll(sessionId: string) {
  const { pool, merchant, clock } = service
  const ref = { merchantId: merchant.merchantId, sessionId }
  const deps = { pool, clock }
  const session = await find(pool, ref)
  if (session === undefined) throw new Error('There is no session.')
  const caller = callerOf(session)
  const launched = await findLaunched(deps, ref)
  return {
    ...{ session, caller, launched, onSurface: await findOnSurface(deps, caller) },
    known: await find(pool, caller),
    unknown: await findOnSurface(deps, { ...caller, readAs: undefined }),
    toSign: await findToSign(deps, pool, caller),
  }
}

async function look(sessionId: string, readAs: ReadAs) {
  const { session, caller, known, launched, onSurface, unknown, toSign } = await readAll(sessionId)
  expect(caller.readAs).toBe(readAs)
  expect(known).toEqual(session)
  expect(unknown).toEqual(onSurface)
  expect(onSurface).toMatchObject({ ...session })
  expect(onSurface).toMatchObject({ ...toSign })
  expect(launched).toEqual(onSurface)
  const [list, other] = readAs === 'mandate_setup' ? [listSetups, listPayments] : [listPayments, listSetups]
  const sessions = { merchantId: caller.merchantId, sessionIds: ['sess_of_nobody', sessionId] }
  expect(await list(service.pool, sessions)).toEqual(readAs === 'enrollment' ? [] : [session])
  expect(await other(service.pool, sessions)).toEqual([])
  return onSurface
}

test('a payment, at every step, of a new customer and of one that comes again', async () => {
  const [user, authenticator] = [newUser(), newAuthenticator(service)]
  for (const isNew of [true, false]) {
    const { session_id: id, session_token } = await createSession(service.merchant, { user_id: user })
    const page = cardholder(service, session_token, authenticator)
    const first = await look(id, 'payment')
    expect(first?.passkey === null).toBe(isNew)
    expect(first?.saved).toHaveLength(isNew ? 0 : 1)
    if (isNew) {
      await page.enterCard(CARDS.success)
      const entered = await look(id, 'payment')
      expect(entered).toMatchObject({ card: { status: 'active' }, passkey: null, saved: [{ id: entered?.card?.id }] })
      await page.registerPasskey()
    } else {
      const { body } = await page.get('/api/session')
      expect((await page.post('/api/cards/select', { card_id: body.cards[0].card_id })).body.step).toBe('approval')
    }
    const ready = await look(id, 'payment')
    expect(ready?.card?.passkeyId).toBe(ready?.passkey?.id)
    expect((await page.approve()).body.outcome).toBe('approved')
    await look(id, 'payment')
    expect((await paymentResult(service.merchant, id)).body.status).toBe('awaiting_result')
  }
})

describe('another session', () => {
  const OTHERS: [ReadAs, () => Promise<string>][] = [
    [
      'mandate_setup',
      async () =>
        (await createSession(service.merchant, { mandate_setup: { recurring_frequency: 'monthly' } })).session_id,
    ],
    ['enrollment', async () => (await createEnrollment(service.merchant)).session_id],
    [
      'quoted_payment',
      async () => (await createSession(service.merchant, fromQuote(await quoted(service.merchant, shop)))).session_id,
    ],
  ]
  test.each(OTHERS)('%s: is read by its own text, and by none of the others', async (readAs, create) => {
    const id = await create()
    const { session } = await readAll(id)
    await look(id, readAs)
    const ref = { merchantId: service.merchant.merchantId, sessionId: id }
    for (const other of READ_AS.filter((word) => word !== readAs)) {
      const found = await find(service.pool, { ...ref, readAs: other })
      // What there is only of one that the service makes is not read of others.
      if (readAs === 'quoted_payment' && other === 'payment') expect(found).toEqual({ ...session, quoteEndsAt: null })
      else expect(found).toBeUndefined()
    }
  })

  test('with a preselected card shows it until there is one', async () => {
    const vault_ref_id = await vaultRecord(service.merchant, { card_number: CARDS.success })
    const { session_id: id, session_token } = await createSession(service.merchant, { card: { vault_ref_id } })
    expect((await look(id, 'payment'))?.record).toMatchObject({ id: vault_ref_id, last4: '4242' })
    await cardholder(service, session_token).post('/api/cards', { cvv: '123' })
    expect(await look(id, 'payment')).toMatchObject({ card: { last4: '4242' }, record: null })
  })

  test('that does not exist is not found in any way', async () => {
    const ref = { merchantId: service.merchant.merchantId, sessionId: 'sess_of_nobody' }
    for (const readAs of [undefined, ...READ_AS]) expect(await find(service.pool, { ...ref, readAs })).toBeUndefined()
  })

  test('of another merchant is not found, nor is anything of it shown', async () => {
    const { session_id: sessionId } = await createSession(service.merchant)
    const ref = { merchantId: 'ma_of_nobody', sessionId }
    for (const readAs of [undefined, ...READ_AS]) expect(await find(service.pool, { ...ref, readAs })).toBeUndefined()
  })
})

test('the card is the one that the session named when it was read, whatever is chosen before the card is', async () => {
  const { session_id: id, session_token } = await createSession(service.merchant)
  const page = cardholder(service, session_token)
  await page.enterCard(CARDS.success)
  const first = await look(id, 'payment')
  await page.enterCard(CARDS.confirmationRefused)
  const { session, caller } = await readAll(id)
  expect(session.cardId).not.toBe(first?.cardId)
  const deps = { pool: service.pool, clock: service.clock }
  const choosing = await service.pool.connect()
  const WAYS = [
    () => findOnSurface(deps, caller),
    () => readTogether(service.pool, (on) => findToSign(deps, on, caller)),
  ]
  try {
    for (const read of WAYS)
      for (const other of [first?.cardId, null]) {
        await choosing.query('update sessions set card_id = $2 where id = $1', [id, session.cardId])
        // The session is read, and its card has to wait.
        await choosing.query('begin; lock table cards in access exclusive mode')
        const reading = read()
        await expect.poll(isWaiting, { interval: 5 }).toBe(true)
        await choosing.query('update sessions set card_id = $2 where id = $1', [id, other])
        await choosing.query('commit')
        expect(await reading).toMatchObject({ cardId: session.cardId, card: { id: session.cardId } })
      }
  } finally {
    choosing.release(true)
  }
})

async function isWaiting(): Promise<boolean> {
  const { rowCount } = await service.pool.query(
    `select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`,
  )
  return rowCount !== 0
}

test('a challenge is issued, and used up, without waiting for the disk; what follows it is not', async () => {
  const { pool, merchant, clock } = service
  const { session_id: sessionId, session_token } = await createSession(merchant)
  await cardholder(service, session_token).enterCard(CARDS.success)
  const { session, caller } = await readAll(sessionId)
  const values = {
    ...{ ...caller, at: clock.now(), ceremony: 'registration', challenge: 'one', nonce: Buffer.alloc(16) },
    ...{ subjectType: 'session', subjectId: session.id, boundText: 'text', signCount: 0n, embedded: false },
    challengeExpiresAt: session.expiresAt,
  }
  const client = await pool.connect()
  const isAwaited = async () => (await client.query('show synchronous_commit')).rows[0].synchronous_commit
  try {
    // The server of the tests waits for nothing.
    await client.query('set synchronous_commit = on')
    for (const write of [() => issueChallenge(client, values), () => claimChallenge(client, values)]) {
      await client.query('begin')
      expect(await isAwaited()).toBe('on')
      expect((await write())?.challenge).toBe('one')
      expect(await isAwaited()).toBe('off')
      await client.query('commit')
      expect(await isAwaited()).toBe('on')
    }
  } finally {
    client.release(true)
  }
})
