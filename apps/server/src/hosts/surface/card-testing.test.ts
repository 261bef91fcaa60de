import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cardholder } from '../../../test/cardholder.ts'
import { CARDS, countBy, createSession, newUser } from '../../../test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../../test/service.ts'

// Guarantee: a shop is no place to try stolen cards. Refused entries are counted over all sessions of a customer, an address
// and a merchant; entries that are right are not.

let service: TestService
const LIMITS = { customer: 4, address: 8, merchant: 12 }

beforeAll(async () => {
  service = await startTestService({
    isForCrowds: true,
    env: {
      RATE_LIMIT_REFUSED_ENTRIES_CUSTOMER: String(LIMITS.customer),
      RATE_LIMIT_REFUSED_ENTRIES_ADDRESS: String(LIMITS.address),
      RATE_LIMIT_REFUSED_ENTRIES_MERCHANT: String(LIMITS.merchant),
      TRUST_PROXY: '127.0.0.1',
    },
  })
})
afterAll(() => service.close())

let addresses = 0
const newAddress = () => {
  addresses += 1
  return `2001:db8:0:${addresses.toString(16)}::1`
}

/** One entry in a session of its own: the code of the answer. */
async function tryCard(merchant: TestMerchant, user: string, from: string, number: string = CARDS.refused) {
  const { session_token } = await createSession(merchant, { user_id: user })
  const answer = await fetch(`${service.surfaceUrl}/api/cards`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${session_token}`,
      'content-type': 'application/json',
      'x-forwarded-for': from,
    },
    body: JSON.stringify({ card_number: number, expiry_month: '12', expiry_year: '2040', cvv: '123' }),
  })
  if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  const body = (await answer.json()) as { error?: { code: string } }
  return body.error?.code ?? 'accepted'
}

test('of one customer, over any number of sessions and addresses, also of tries at the same time', async () => {
  const merchant = await service.addMerchant()
  const user = newUser()
  // Fewer than the merchant may have: where tries come at the same time, those that are withheld count as well.
  const codes = await Promise.all(Array.from({ length: 10 }, () => tryCard(merchant, user, newAddress())))
  expect(countBy(codes, (code) => code)).toEqual({ CARD_REFUSED: LIMITS.customer, RATE_LIMITED: 6 })
  expect(await tryCard(merchant, user, newAddress(), CARDS.success)).toBe('RATE_LIMITED')
  expect(await tryCard(merchant, newUser(), newAddress(), CARDS.success)).toBe('accepted')
})

test('a try whose body comes late is judged when it comes', async () => {
  const merchant = await service.addMerchant()
  const user = newUser()
  const held = await Promise.all(Array.from({ length: 3 }, () => heldTry(merchant, user)))
  // Most likely their heads have been looked at by now; one that comes later is judged alike.
  await delay(500)
  await Promise.all(Array.from({ length: LIMITS.customer }, () => tryCard(merchant, user, newAddress())))
  expect(await Promise.all(held.map((finish) => finish()))).toEqual(Array(3).fill('RATE_LIMITED'))
})

/** A right card whose number is held back until the returned function sends it. */
async function heldTry(merchant: TestMerchant, user: string): Promise<() => Promise<string>> {
  const { session_token } = await createSession(merchant, { user_id: user })
  const body = JSON.stringify({ card_number: CARDS.success, expiry_month: '12', expiry_year: '2040', cvv: '123' })
  const sent = request(new URL('/api/cards', service.surfaceUrl), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${session_token}`,
      'content-type': 'application/json',
      'content-length': body.length,
      'x-forwarded-for': newAddress(),
    },
  })
  sent.write(body.slice(0, 1))
  return async () => {
    sent.end(body.slice(1))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const answer = JSON.parse(Buffer.concat(await response.toArray()).toString())
    return answer.error?.code ?? 'accepted'
  }
}

test('of one address, over customers and merchants; an IPv6 network is one address', async () => {
  const network = newAddress().replace('::1', '')
  const codes: string[] = []
  for (let index = 0; index < LIMITS.address + 2; index += 1) {
    codes.push(await tryCard(await service.addMerchant(), newUser(), `${network}::${(index + 1).toString(16)}`))
  }
  expect(countBy(codes, (code) => code)).toEqual({ CARD_REFUSED: LIMITS.address, RATE_LIMITED: 2 })
})

test('what a client says before the proxy does is not heard', async () => {
  const merchant = await service.addMerchant()
  const own = newAddress()
  const before = [
    '198.51.100.7',
    '127.0.0.1',
    '::1',
    'unknown',
    '"_hidden"',
    'x'.repeat(500),
    '10.0.0.1, 10.0.0.2',
    ',',
    own,
  ]
  const codes: string[] = []
  for (const said of before) codes.push(await tryCard(merchant, newUser(), `${said}, ${own}`))
  expect(countBy(codes, (code) => code)).toEqual({
    CARD_REFUSED: LIMITS.address,
    RATE_LIMITED: before.length - LIMITS.address,
  })
})

test('of one merchant, over customers and addresses', async () => {
  const merchant = await service.addMerchant()
  const codes: string[] = []
  for (let index = 0; index < LIMITS.merchant + 1; index += 1) {
    codes.push(await tryCard(merchant, newUser(), newAddress()))
  }
  expect(countBy(codes, (code) => code)).toEqual({ CARD_REFUSED: LIMITS.merchant, RATE_LIMITED: 1 })
  expect(await tryCard(await service.addMerchant(), newUser(), newAddress())).toBe('CARD_REFUSED')
})

test('beyond half of the limit a try waits, and a right one is never counted', async () => {
  const merchant = await service.addMerchant()
  const user = newUser()
  const from = newAddress()
  for (let entry = 0; entry < LIMITS.customer + 2; entry += 1) await tryCard(merchant, user, from, CARDS.success)
  for (let refused = 0; refused < 3; refused += 1) expect(await tryCard(merchant, user, from)).toBe('CARD_REFUSED')
  const began = performance.now()
  expect(await tryCard(merchant, user, from, CARDS.success)).toBe('accepted')
  expect(performance.now() - began).toBeGreaterThan(1_400)
})

test('a wrong code counts like a wrong card', async () => {
  const merchant = await service.addMerchant()
  const user = newUser()
  const codes: string[] = []
  for (let round = 0; round < 2; round += 1) {
    const { session_token } = await createSession(merchant, { user_id: user })
    const visitor = cardholder(service, session_token)
    await visitor.enterCard(CARDS.stepUp)
    for (let tries = 0; tries < 3; tries += 1) {
      codes.push((await visitor.post('/api/cards/verify', { code: '999999' })).body.error.code)
    }
  }
  expect(codes.filter((code) => code !== 'RATE_LIMITED')).toEqual([
    'STEP_UP_INVALID',
    'STEP_UP_INVALID',
    'CARD_REFUSED',
    'STEP_UP_INVALID',
  ])
})
