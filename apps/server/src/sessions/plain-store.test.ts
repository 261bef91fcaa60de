import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardholder, newAuthenticator } from '../../test/cardholder.ts'
import {
  CARDS,
  createEnrollment,
  createSession,
  newUser,
  paymentResult,
  vaultRecord,
  waitingSession,
} from '../../test/flows.ts'
import { PATIENT, startTestService, type TestService } from '../../test/service.ts'
import { type AddedShop, fromQuote, quoted, scriptedShops } from '../checkout/quotes/testing/scripted-shop.ts'
import { SHOWN_ENROLLMENT } from '../enrollment/fragments.ts'
import { SHOWN_SETUP } from '../mandates/setup-fragments.ts'
import * as plain from './plain-store.ts'
import { findSession } from './store.ts'
import { findOnSurface } from './surface-store.ts'

// Guarantee: what is read of a plain session is what is read of any, less what its step does not look at; of no other session is
// anything read that way.

const shops = scriptedShops()
let service: TestService
let shop: AddedShop
beforeAll(async () => {
  service = await startTestService({ env: PATIENT, createCheckout: shops.createCheckout })
  shop = await shops.add(service)
})
afterAll(() => service?.close())

/** All that is read of a session without changing anything, in each of the ways; undefined: nothing. */
async function readAll(sessionId: string) {
  const { pool, merchant, clock } = service
  const place = { merchantId: merchant.merchantId, sessionId, at: clock.now() }
  const challenge = { subjectType: 'session', subjectId: sessionId, challenge: 'none', ceremony: 'assertion' }
  const client = await pool.connect()
  try {
    const [whole, onSurface] = [await findSession(pool, place), await findOnSurface(pool, place)]
    const found = {
      found: await plain.findPlain(pool, place),
      onSurface: await plain.findPlainOnSurface(pool, place),
      toSign: await plain.findPlainToSign(pool, place),
      signed: await plain.findPlainSigned(client, { ...place, ...challenge }),
      registered: await plain.findPlainRegistered(client, { ...place, ...challenge, ceremony: 'registration' }),
      toRegister: await plain.findPlainToRegister(client, {
        ...{ ...place, ...challenge, ceremony: 'registration', customerId: 'cus_of_nobody', nonce: Buffer.alloc(1) },
        ...{ boundText: '', signCount: 0n, embedded: false, challengeExpiresAt: clock.now() },
      }),
    }
    return { whole, onSurface, found }
  } finally {
    client.release()
  }
}

type Read = Awaited<ReturnType<typeof readAll>>

function expectSame({ whole, onSurface, found }: Read): void {
  if (whole === undefined || onSurface === undefined) throw new Error('There is no session.')
  const sameOf = (row: object | undefined, of: object) =>
    Object.fromEntries(Object.keys(row ?? { nothing: true }).map((name) => [name, of[name as keyof typeof of]]))
  const passkeyReleased = onSurface.passkey?.released ?? null
  const released = { ...onSurface, claimed: null, passkeyReleased, email: 'ann@example.com' }
  expect(found.found).toEqual(sameOf(found.found, whole))
  for (const row of [found.onSurface, found.toSign, found.signed, found.registered, found.toRegister]) {
    expect(row).toEqual(sameOf(row, released))
  }
  const ofOthers = Object.keys({ ...SHOWN_SETUP, ...SHOWN_ENROLLMENT })
  const shown = Object.keys(onSurface).filter((name) => !ofOthers.includes(name))
  expect(Object.keys(found.onSurface ?? {}).sort()).toEqual(shown.sort())
}

test('a plain session, at every step', async () => {
  const [user, authenticator] = [newUser(), newAuthenticator(service)]
  for (const isNew of [true, false]) {
    const { session_id: id, session_token } = await createSession(service.merchant, { user_id: user })
    const page = cardholder(service, session_token, authenticator)
    const look = async () => expectSame(await readAll(id))
    await look()
    if (isNew) {
      await page.enterCard(CARDS.success)
      await look()
      await page.registerPasskey()
    } else {
      const { body } = await page.get('/api/session')
      expect(body.cards).toHaveLength(1)
      expect((await page.post('/api/cards/select', { card_id: body.cards[0].card_id })).body.step).toBe('approval')
    }
    await look()
    expect((await page.approve()).body.outcome).toBe('approved')
    await look()
    expect((await paymentResult(service.merchant, id)).body.status).toBe('awaiting_result')
  }
  const { id, item } = await waitingSession(service.merchant)
  expect(item.token).toMatch(/./)
  expectSame(await readAll(id))
})

describe('of another session nothing is read', () => {
  const OTHERS: [string, () => Promise<string>][] = [
    [
      'a setup',
      async () =>
        (await createSession(service.merchant, { mandate_setup: { recurring_frequency: 'monthly' } })).session_id,
    ],
    ['an enrollment', async () => (await createEnrollment(service.merchant)).session_id],
    [
      'a quoted payment',
      async () => (await createSession(service.merchant, fromQuote(await quoted(service.merchant, shop)))).session_id,
    ],
    [
      'a payment with a preselected card',
      async () => {
        const vault_ref_id = await vaultRecord(service.merchant, { card_number: CARDS.success })
        return (await createSession(service.merchant, { card: { vault_ref_id } })).session_id
      },
    ],
  ]
  test.each(OTHERS)('%s', async (_name, create) => {
    const { whole, onSurface, found } = await readAll(await create())
    expect(whole?.id).toBe(onSurface?.id)
    expect(whole).toBeDefined()
    expect(Object.values(found).filter((row) => row !== undefined)).toEqual([])
  })

  test('one that does not exist', async () => {
    const { whole, found } = await readAll('sess_of_nobody')
    expect([whole, ...Object.values(found)].filter((row) => row !== undefined)).toEqual([])
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
      () => plain.findPlainSigned(client, { ...values, ceremony: 'assertion' }),
      () => plain.findPlainRegistered(client, { ...values, ceremony: 'registration' }),
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
