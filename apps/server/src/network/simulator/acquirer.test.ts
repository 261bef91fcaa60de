import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addSeconds } from '../../platform/clock.ts'
import { secret } from '../../platform/secret.ts'
import type { AuthorizationRequest } from './acquirer.ts'
import { CVV_TRIES } from './response-codes.ts'
import { okValue, purchase, startTestNetwork, type TestNetwork } from './testing/test-network.ts'

let fixture: TestNetwork
beforeAll(async () => {
  fixture = await startTestNetwork()
})
afterAll(() => fixture.close())

const WRONG_CVV = secret('wrong')

async function codeOf(request: AuthorizationRequest): Promise<string> {
  const result = await fixture.network.authorize(request)
  expect(result.approved).toBe(result.responseCode === '00')
  return result.responseCode
}

describe('response codes', () => {
  test('00: approved with an authorization code, and 57 from then on', async () => {
    const request = purchase(await fixture.credential())
    expect(await fixture.network.authorize(request)).toEqual({
      authorizationId: expect.stringMatching(/^auth_/),
      approved: true,
      responseCode: '00',
      authorizationCode: expect.stringMatching(/^\d{6}$/),
    })
    const again = await fixture.network.authorize(request)
    expect(again).toMatchObject({ approved: false, responseCode: '57' })
    expect(again).not.toHaveProperty('authorizationCode')
  })

  test('00: a smaller amount uses the credential up as well', async () => {
    const request = purchase(await fixture.credential())
    expect(await codeOf({ ...request, amount: { minor: 1n, currency: 'USD' } })).toBe('00')
    expect(await codeOf(request)).toBe('57')
  })

  test('00: the expiry date as forms send it', async () => {
    const request = purchase(await fixture.credential())
    const short = { expiryMonth: String(Number(request.expiryMonth)), expiryYear: request.expiryYear.slice(2) }
    expect(await codeOf({ ...request, ...short })).toBe('00')
  })

  test.for([
    ['03', { merchantUrl: 'https://www.shop.example' }],
    ['03', { merchantUrl: 'nonsense' }],
    ['12', { amount: { minor: 4_000n, currency: 'EUR' } }],
    ['14', { token: secret('4895370000000008') }],
    ['14', { token: secret('') }],
    ['54', { expiryMonth: '01' }],
    ['54', { expiryYear: '2099' }],
    ['61', { amount: { minor: 4_001n, currency: 'USD' } }],
    ['82', { dynamicCvv: WRONG_CVV }],
  ] as const)('%s for %o, and the right request is still approved', async ([code, change]) => {
    const request = purchase(await fixture.credential())
    expect(await codeOf({ ...request, ...change })).toBe(code)
    expect(await codeOf(request)).toBe('00')
  })

  test('an amount below zero is refused before anything is looked up', async () => {
    const request = purchase(await fixture.credential())
    await expect(codeOf({ ...request, amount: { minor: -1n, currency: 'USD' } })).rejects.toThrow('below zero')
    expect(await codeOf(request)).toBe('00')
  })

  test('00 for zero: the card is good, stays whole however often it is asked, and then pays once', async () => {
    const charge = await fixture.charge()
    const request = purchase(okValue(await fixture.network.mint(charge)))
    const check = { ...request, amount: { minor: 0n, currency: 'USD' as const } }
    const checks = await Promise.all(Array.from({ length: 8 }, () => fixture.network.authorize(check)))
    for (const answer of checks) {
      expect(answer).toMatchObject({ approved: true, responseCode: '00', authorizationCode: expect.any(String) })
    }
    expect(await codeOf(request)).toBe('00')
    expect([await codeOf(request), await codeOf(check)]).toEqual(['57', '57'])
  })

  test('a check is no try to pay: what is reported after it is nobody’s to contradict, and its release finds it unspent', async () => {
    const [one, other] = [await fixture.charge(), await fixture.charge()]
    const nothing = { amountPaid: null, authorizationCode: null, responseCode: null }
    for (const charge of [one, other]) {
      const request = purchase(okValue(await fixture.network.mint(charge)))
      expect(await codeOf({ ...request, amount: { minor: 0n, currency: 'USD' } })).toBe('00')
    }
    const paid = { chargeId: one.chargeId, outcome: 'APPROVED', currency: 'USD', ...nothing } as const
    expect((await fixture.network.confirm(paid)).outcome).toBe('ok')
    expect(await fixture.network.release(other)).toEqual({ outcome: 'ok', value: { state: 'released' } })
  })

  test('a check with a wrong CVV counts as a guess, and one at another merchant is refused', async () => {
    const request = purchase(await fixture.credential())
    const check = { ...request, amount: { minor: 0n, currency: 'USD' as const } }
    expect(await codeOf({ ...check, merchantUrl: 'https://www.shop.example' })).toBe('03')
    for (let attempt = 1; attempt <= CVV_TRIES; attempt += 1) {
      expect(await codeOf({ ...check, dynamicCvv: WRONG_CVV })).toBe('82')
    }
    expect(await codeOf(request)).toBe('62')
  })

  test('54: its time is over', async () => {
    const charge = await fixture.charge('success', { validUntil: addSeconds(fixture.clock.now(), 60) })
    const request = purchase(okValue(await fixture.network.mint(charge)))
    fixture.clock.advance(60)
    expect(await codeOf(request)).toBe('54')
  })

  test.for([
    ['54', 'credential_expired'],
    ['51', 'insufficient_funds'],
    ['05', 'do_not_honour'],
  ] as const)('%s: the test card %s', async ([code, behaviour]) => {
    expect(await codeOf(purchase(await fixture.credential(behaviour)))).toBe(code)
  })

  test('00: the instruction was cancelled since', async () => {
    const charge = await fixture.charge()
    const request = purchase(okValue(await fixture.network.mint(charge)))
    await fixture.network.cancelInstruction(charge)
    expect(await codeOf(request)).toBe('00')
  })

  test('62: it was released', async () => {
    const charge = await fixture.charge()
    const request = purchase(okValue(await fixture.network.mint(charge)))
    await fixture.network.release(charge)
    expect(await codeOf(request)).toBe('62')
  })

  test('62: the card was deleted', async () => {
    const token = await fixture.provision()
    const request = purchase(okValue(await fixture.network.mint(await fixture.register(token.tokenRef))))
    await fixture.network.deleteToken(token)
    expect(await codeOf(request)).toBe('62')
  })

  test('62: the charge was reported', async () => {
    const charge = await fixture.charge()
    const request = purchase(okValue(await fixture.network.mint(charge)))
    const nothing = { amountPaid: null, authorizationCode: null, responseCode: null }
    await fixture.network.confirm({ chargeId: charge.chargeId, outcome: 'APPROVED', currency: 'USD', ...nothing })
    expect(await codeOf(request)).toBe('62')
  })

  test('62: too many wrong CVVs, and then the right one too', async () => {
    const request = purchase(await fixture.credential())
    for (let attempt = 1; attempt <= CVV_TRIES; attempt += 1) {
      expect(await codeOf({ ...request, dynamicCvv: WRONG_CVV })).toBe('82')
    }
    expect(await codeOf({ ...request, dynamicCvv: WRONG_CVV })).toBe('62')
    expect(await codeOf(request)).toBe('62')
  })
})

describe('together', () => {
  test('32 authorizations of one credential: one is approved', async () => {
    const request = purchase(await fixture.credential())
    const codes = await Promise.all(Array.from({ length: 32 }, () => codeOf(request)))
    expect(codes.filter((code) => code === '00')).toHaveLength(1)
    expect(codes.filter((code) => code === '57')).toHaveLength(31)
  })

  test('32 wrong CVVs: no more than the tries are judged', async () => {
    const request = { ...purchase(await fixture.credential()), dynamicCvv: WRONG_CVV }
    const codes = await Promise.all(Array.from({ length: 32 }, () => codeOf(request)))
    expect(codes.filter((code) => code === '82')).toHaveLength(CVV_TRIES)
    expect(codes.filter((code) => code === '62')).toHaveLength(32 - CVV_TRIES)
  })

  test('an approval and a declined report: never both', async () => {
    for (let round = 0; round < 10; round += 1) {
      const charge = { ...(await fixture.charge()), amount: { minor: 10_000n, currency: 'USD' as const } }
      const request = purchase(okValue(await fixture.network.mint(charge)))
      const nothing = { amountPaid: null, authorizationCode: null, responseCode: null }
      const report = { chargeId: charge.chargeId, outcome: 'DECLINED' as const, currency: 'USD' as const, ...nothing }
      const [code] = await Promise.all([codeOf(request), fixture.network.confirm(report)])
      expect(['00', '62']).toContain(code)
      expect(['57', '62']).toContain(await codeOf(request))
    }
  })
})

test('every attempt leaves a row', async () => {
  const request = purchase(await fixture.credential())
  const ids = []
  for (const dynamicCvv of [WRONG_CVV, request.dynamicCvv, request.dynamicCvv]) {
    ids.push((await fixture.network.authorize({ ...request, dynamicCvv })).authorizationId)
  }
  const found = await fixture.database.pool.query(
    'select response_code from simnet.authorizations where authorization_id = any($1) order by response_code',
    [ids],
  )
  expect(found.rows.map((row) => row.response_code)).toEqual(['00', '57', '82'])
})
