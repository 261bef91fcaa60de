import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createHostileAuthenticator } from '../src/passkeys/testing/hostile-authenticator.ts'
import { createEndpoint, ENDPOINTS, keyed } from '../src/webhooks/testing/endpoints.ts'
import { cardholder } from './cardholder.ts'
import { CARDS, createSession, expectError, newUser } from './flows.ts'
import { keepLog } from './logged.ts'
import { call, jsonRequest, startTestService, type TestMerchant, type TestService } from './service.ts'

// Guarantee: what an operator or a merchant has set is used as they set it, and what is a customer's is listed as theirs alone. An
// editor of the database without the root key is not obeyed: an alarm, and it is as if what they wrote were not there.

let service: TestService
let merchant: TestMerchant
const { log, alarms, lines } = keepLog('warn')

beforeAll(async () => {
  service = await startTestService({ log, contradicts: 'Cards and customers are moved to other accounts.' })
})
afterAll(() => service?.close())
beforeEach(async () => {
  merchant = await service.addMerchant()
  lines.length = 0
})

const sql = (text: string, values: unknown[]) => service.pool.query(text, values)

const EVIL = 'https://evil.example'
const openTo = (origin: string) =>
  sql('update merchants set allowed_origins = array[$2] where id = $1', [merchant.merchantId, origin])
const framing = async () => {
  const page = await fetch(`${service.surfaceUrl}/s/${merchant.merchantId}/x`)
  return /frame-ancestors ([^;]*)/.exec(page.headers.get('content-security-policy') ?? '')?.[1]
}
const intoTheVault = (origin: string) => {
  const year = String(service.clock.now().getUTCFullYear() + 3)
  const init = jsonRequest(`Bearer ${merchant.publishableKey}`, {
    card_number: CARDS.success,
    expiry_month: '12',
    expiry_year: year,
  })
  return call(`${service.apiUrl}/v1/vault/records`, { ...init, headers: { ...init.headers, origin } })
}

test('an edited origin frames no page', async () => {
  expect(await framing()).toBe('http://localhost:* http://127.0.0.1:*')
  await openTo(EVIL)
  expect(await framing()).toBe("'none'")
  expect(alarms()).toMatchObject([{ table: 'merchants', row_id: merchant.merchantId }])
})

test('nor does that of another account, taken over with its seal', async () => {
  const { merchantId } = await service.app.merchants.createMerchant({
    name: 'Another',
    allowedOrigins: [EVIL],
    networkProfile: 'simulator',
    sessionAllowance: null,
  })
  await sql(
    `update merchants set allowed_origins = o.allowed_origins, origins_seal = o.origins_seal from merchants o
     where merchants.id = $1 and o.id = $2`,
    [merchant.merchantId, merchantId],
  )
  expect(await framing()).toBe("'none'")
})

test('a page of an edited origin puts no card in the vault, and is told nothing', async () => {
  expect((await intoTheVault('http://localhost:5173')).status).toBe(201)
  const page = 'https://vault.evil.example'
  await openTo(page)
  const answer = await intoTheVault(page)
  expectError(answer, 403, 'FORBIDDEN')
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  expect(alarms()[0]).toMatchObject({ table: 'merchants', row_id: merchant.merchantId })
})

test('nor does anybody approve in a frame of it', async () => {
  const approveIn = async (topOrigin: string) => {
    const { session_token: token } = await createSession(merchant)
    const authenticator = createHostileAuthenticator({
      ...{ seed: randomBytes(32), rpId: 'localhost', origin: service.surfaceUrl },
    })
    const visitor = cardholder(service, token)
    await visitor.enterCard(CARDS.success)
    const frame = { frame: { embedded: true } }
    const framed = { crossOrigin: true, topOrigin }
    const { body } = await visitor.post('/api/passkeys/registration-options', frame)
    return visitor.post('/api/passkeys/registrations', { response: authenticator.register(body, framed) })
  }
  expect((await approveIn('http://localhost:5173')).status).toBe(200)
  await openTo(EVIL)
  expectError(await approveIn(EVIL), 400, 'PASSKEY_FRAME_REFUSED')
  expect(alarms()[0]).toMatchObject({ table: 'merchants', row_id: merchant.merchantId })
})

test('what the operator says again is used, also after another setting was changed meanwhile', async () => {
  await openTo(EVIL)
  await service.app.merchants.updateMerchant(merchant.merchantId, { name: 'Renamed' })
  expect(await framing()).toBe("'none'")
  await service.app.merchants.updateMerchant(merchant.merchantId, { allowedOrigins: ['https://shop.example'] })
  expect(await framing()).toBe('https://shop.example')
})

describe('cards', () => {
  /** A customer of the merchant who has paid, and one of another merchant. */
  async function twoCustomers() {
    const other = await service.addMerchant()
    const [victim, thief] = [newUser(), newUser()]
    const paid = async (at: TestMerchant, user_id: string) => {
      const { session_token } = await createSession(at, { user_id })
      const visitor = cardholder(service, session_token)
      await visitor.pay(CARDS.success)
    }
    await paid(merchant, victim)
    await paid(other, thief)
    const list = (at: TestMerchant, user: string) => at.get(`/v1/listCards?customer_id=${user}&status=all`)
    return { other, victim, thief, list }
  }

  test('that were moved to another account are in no list of it', async () => {
    const { other, victim, thief, list } = await twoCustomers()
    for (const table of ['customers', 'cards', 'passkeys', 'mandates']) {
      await sql(`update ${table} set merchant_id = $2 where merchant_id = $1`, [merchant.merchantId, other.merchantId])
    }
    expect((await list(other, victim)).body).toEqual({ cards: [], count: 0 })
    expect((await list(other, thief)).body.count).toBe(1)
    expect(alarms()).toMatchObject([{ table: 'cards', merchant_id: other.merchantId }])
    const { session_token } = await createSession(other, { user_id: victim })
    expect((await cardholder(service, session_token).get('/api/session')).body.cards).toEqual([])
  })

  test('that were given to another customer are in no list of theirs, deleted or not', async () => {
    const { victim, list } = await twoCustomers()
    const user = newUser()
    const { session_token } = await createSession(merchant, { user_id: user })
    await cardholder(service, session_token).enterCard('5555555555554444')
    const { body } = await list(merchant, user)
    const whose = `(select id from customers where external_user_id = $2)`
    const give = () =>
      sql(
        `update cards set is_default = false, customer_id = ${whose} where customer_id = (select id from customers where external_user_id = $1)`,
        [victim, user],
      )
    await give()
    expect((await list(merchant, user)).body).toEqual(body)
    expect((await list(merchant, victim)).body.count).toBe(0)
    const [mine] = body.cards
    const deleted = await merchant.post('/v1/deleteCard', { customer_id: user, card_id: mine.card_id, reason: 'OTHER' })
    expect(deleted.status).toBe(200)
    const after = await list(merchant, user)
    expect(after.body.cards).toMatchObject([{ card_id: mine.card_id, status: 'deleted' }])
    expect(alarms()[0]).toMatchObject({ table: 'cards' })
  })
})

describe('webhook endpoints', () => {
  const secretSql = `secret_sealed = null, secret_key_id = null`
  test.each([
    ['led to another address', `url = '${EVIL}/hooks'`],
    ['verified', 'verified_at = now()'],
    ['verified and enabled', 'verified_at = now(), enabled = true'],
    ['enabled', 'enabled = true'],
    ['given an earlier revision', 'revision = 0'],
    ['made to sign with the secret of the account', `is_account = true, ${secretSql}`],
  ])('that were %s by hand are not shown, asked, or sealed anew', async (_what, change) => {
    const { id, path } = await createEndpoint(merchant, 'https://shop.example/hooks')
    const other = await createEndpoint(merchant, 'https://shop.example/more')
    await sql(`update webhook_endpoints set ${change} where id = $1`, [id])
    expectError(await merchant.get(path), 500, 'INTERNAL_ERROR')
    expectError(await merchant.send('POST', `${path}/verify`), 500, 'INTERNAL_ERROR')
    expectError(await merchant.send('POST', `${path}/test`, { type: 'card.deleted' }), 500, 'INTERNAL_ERROR')
    expectError(await keyed(merchant, `${path}/rotate-secret`), 500, 'INTERNAL_ERROR')
    for (const body of [{ name: 'Mine' }, { enabled: true }, { url: 'https://shop.example/again' }]) {
      expectError(await merchant.send('PATCH', path, body), 500, 'INTERNAL_ERROR')
    }
    const { body } = await merchant.get(ENDPOINTS)
    expect(body.data.map((endpoint: { id: string }) => endpoint.id)).toEqual([other.id])
    expect(new Set(alarms().map(({ table, row_id }) => `${table} ${row_id}`))).toEqual(
      new Set([`webhook_endpoints ${id}`]),
    )
    // What its owner can always do is end it.
    expect((await merchant.send('DELETE', path)).status).toBe(200)
  })

  test('that their owner deleted are none when they are brought back', async () => {
    const { merchantId } = merchant
    await service.app.accountUrls.set(merchantId, 'https://shop.example/hooks')
    const [{ id }] = (await merchant.get(ENDPOINTS)).body.data
    expect((await merchant.send('DELETE', `${ENDPOINTS}/${id}`)).status).toBe(200)
    await sql('update webhook_endpoints set deleted_at = null where id = $1', [id])
    expect((await merchant.get(ENDPOINTS)).body.data).toEqual([])
    expect(await service.app.accountUrls.find(merchantId)).toBeNull()
    // The operator says again where it is.
    await service.app.accountUrls.set(merchantId, 'https://shop.example/again')
    expect((await merchant.get(ENDPOINTS)).body.data).toMatchObject([
      { url: 'https://shop.example/again', verified: false },
    ])
  })

  test('that are changed in the ordinary way are as they were asked to be', async () => {
    const { path } = await createEndpoint(merchant, 'https://shop.example/hooks')
    await merchant.send('PATCH', path, { url: 'https://shop.example/again' })
    expect((await merchant.get(path)).body).toMatchObject({ url: 'https://shop.example/again', revision: 2 })
    expect(alarms()).toEqual([])
  })
})
