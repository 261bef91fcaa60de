import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, newAuthenticator } from '../../../../test/cardholder.ts'
import {
  CARDS,
  createEnrollment,
  createSession,
  newUser,
  paymentResult,
  vaultRecord,
  waitingSession,
} from '../../../../test/flows.ts'
import { PATIENT, startTestService, type TestService } from '../../../../test/service.ts'
import { type AddedShop, fromQuote, quoted, scriptedShops } from '../../../checkout/quotes/testing/scripted-shop.ts'
import type { RowName } from '../../fragments.ts'
import { READS } from '../../read.ts'

// Guarantee: what a step reads of a session is what its page shows of it, less what the step does not look at; a
// statement reads nothing of a session that is in another row.

const shops = scriptedShops()
let service: TestService
let shop: AddedShop
beforeAll(async () => {
  service = await startTestService({ env: PATIENT, createCheckout: shops.createCheckout })
  shop = await shops.add(service)
})
afterAll(() => service?.close())

/** All that is read of a session without changing anything, in each of the ways; undefined: nothing. */
async function readAll(sessionId: string, row: RowName = 'charge') {
  const { pool, merchant, clock } = service
  const place = { merchantId: merchant.merchantId, sessionId, at: clock.now() }
  const challenge = { subjectType: 'session', subjectId: sessionId, challenge: 'none', ceremony: 'assertion' }
  const reads = READS[row]
  const client = await pool.connect()
  try {
    return {
      found: await reads.find(pool, place),
      onSurface: await reads.findOnSurface(pool, place),
      toSign: await reads.findToSign(pool, place),
      signed: await reads.findSigned(client, { ...place, ...challenge }),
      registered: await reads.findRegistered(client, { ...place, ...challenge, ceremony: 'registration' }),
      toRegister: await reads.findToRegister(client, {
        ...{ ...place, ...challenge, ceremony: 'registration', customerId: 'cus_of_nobody', nonce: Buffer.alloc(1) },
        ...{ boundText: '', signCount: 0n, embedded: false, challengeExpiresAt: clock.now() },
      }),
    }
  } finally {
    client.release()
  }
}

type Read = Awaited<ReturnType<typeof readAll>>

function expectSame(found: Read): void {
  const { onSurface } = found
  if (onSurface === undefined) throw new Error('There is no session.')
  const sameOf = (row: object | undefined, of: object) =>
    Object.fromEntries(Object.keys(row ?? { nothing: true }).map((name) => [name, of[name as keyof typeof of]]))
  const passkeyReleased = onSurface.passkey?.released ?? null
  const all = { ...onSurface, claimed: null, passkeyReleased, email: 'ann@example.com' }
  for (const row of Object.values(found)) expect(row).toEqual(sameOf(row, all))
}

test('a purchase, at every step', async () => {
  const [user, authenticator] = [newUser(), newAuthenticator(service)]
  for (const isNew of [true, false]) {
    const { session_id: id, session_token } = await createSession(service.merchant, { user_id: user })
    const page = cardholder(service, session_token, authenticator)
    const compare = async () => expectSame(await readAll(id))
    await compare()
    if (isNew) {
      await page.enterCard(CARDS.success)
      await compare()
      await page.registerPasskey()
    } else {
      const { body } = await page.get('/api/session')
      expect(body.cards).toHaveLength(1)
      expect((await page.post('/api/cards/select', { card_id: body.cards[0].card_id })).body.step).toBe('approval')
    }
    await compare()
    expect((await page.approve()).body.outcome).toBe('approved')
    await compare()
    expect((await paymentResult(service.merchant, id)).body.status).toBe('awaiting_result')
  }
  const { id, item } = await waitingSession(service.merchant)
  expect(item.token).toMatch(/./)
  expectSame(await readAll(id))
})

test.each<[string, () => Promise<Record<string, unknown>>]>([
  ['that a quote describes', async () => fromQuote(await quoted(service.merchant, shop))],
  [
    'with a preselected card',
    async () => ({ card: { vault_ref_id: await vaultRecord(service.merchant, { card_number: CARDS.success }) } }),
  ],
])('one %s', async (_name, body) => {
  const { session_id } = await createSession(service.merchant, await body())
  const read = await readAll(session_id)
  expectSame(read)
  const { record, quoteEndsAt } = read.onSurface ?? {}
  expect([record, quoteEndsAt].filter((shown) => shown === null)).toHaveLength(1)
})

const SETUP = { mandate_setup: { recurring_frequency: 'monthly' } }

describe('a session is read in its own row alone', () => {
  test.each<[string, RowName, () => Promise<string>]>([
    ['a purchase', 'charge', async () => (await createSession(service.merchant)).session_id],
    ['a setup', 'mandate', async () => (await createSession(service.merchant, SETUP)).session_id],
    ['an enrollment', 'enrollment', async () => (await createEnrollment(service.merchant)).session_id],
  ])('%s', async (_name, own, create) => {
    const id = await create()
    for (const row of ['charge', 'mandate', 'enrollment'] as const) {
      const found = await readAll(id, row)
      if (row === own) expectSame(found)
      else expect(Object.values(found).filter((read) => read !== undefined)).toEqual([])
    }
  })
})

test('the use of a challenge is committed without waiting for the disk, and what follows it is not', async () => {
  const { pool, merchant, clock } = service
  const { session_id: sessionId } = await createSession(merchant)
  const values = {
    ...{ merchantId: merchant.merchantId, sessionId, at: clock.now() },
    ...{ subjectType: 'session', subjectId: sessionId, challenge: 'none' },
  }
  const client = await pool.connect()
  const isAwaited = async () => (await client.query('show synchronous_commit')).rows[0].synchronous_commit
  try {
    // The server of the tests waits for nothing.
    await client.query('set synchronous_commit = on')
    for (const find of [
      () => READS.charge.findSigned(client, { ...values, ceremony: 'assertion' }),
      () => READS.charge.findRegistered(client, { ...values, ceremony: 'registration' }),
    ]) {
      await client.query('begin')
      expect(await isAwaited()).toBe('on')
      expect((await find())?.id).toBe(sessionId)
      expect(await isAwaited()).toBe('off')
      await client.query('commit')
      expect(await isAwaited()).toBe('on')
    }
  } finally {
    client.release(true)
  }
})
