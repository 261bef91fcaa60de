// Guarantee: every change of the wallet API takes effect once a key, whoever repeats it and however often, and a repetition gets the
// bytes of the first response.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEYS_KEPT_SECONDS } from '../src/db/command.ts'
import { deleteOldKeys } from '../src/jobs/old-keys.ts'
import { addressBody, createCustomer, customerBody, expectWalletError } from '../src/wallets/testing/customers.ts'
import { startTestService, type TestMerchant, type TestService, type WalletCaller } from './service.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService()
  merchant = service.merchant
})
afterAll(() => service.close())

/** A response as it came over the wire. */
async function send(wallet: WalletCaller, path: string, body: string | undefined, key?: string, method = 'POST') {
  const headers = {
    'api-key': wallet.key,
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const response = await fetch(service.walletUrl + path, { method, headers, ...(body !== undefined && { body }) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const create = (body: object, key: string, wallet = merchant.wallet) =>
  send(wallet, '/v1/customers', JSON.stringify(body), key)

const countCustomers = async () =>
  Number((await service.pool.query('select count(*) from wallet_customers')).rows[0].count)

describe('the key', () => {
  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['no uuid', 'order-1001'],
    ['a uuid in braces', `{${randomUUID()}}`],
    ['two uuids', `${randomUUID()}, ${randomUUID()}`],
  ])('%s is 400 VALIDATION_ERROR, for every change there is', async (_what, key) => {
    const changes = service.app.walletRoutes.filter(({ method }) => method !== 'GET')
    expect(changes.length).toBeGreaterThan(3)
    for (const { method, path } of changes) {
      const target = path.replaceAll(/:\w+/g, randomUUID())
      const { status, headers, text } = await send(merchant.wallet, target, undefined, key, method)
      const said = { status, headers, body: JSON.parse(text) }
      // A missing body is seen first.
      expectWalletError(said, 400, 'VALIDATION_ERROR')
    }
    const answer = await send(merchant.wallet, '/v1/customers', JSON.stringify(customerBody()), key)
    expect([answer.status, JSON.parse(answer.text).error.details]).toEqual([
      400,
      { 'idempotency-key': key ? 'must be a UUID' : 'is required' },
    ])
  })

  test('is one UUID in upper and lower case', async () => {
    const [key, before, body] = [randomUUID(), await countCustomers(), customerBody()]
    const first = await create(body, key)
    const again = await create(body, key.toUpperCase())
    expect([first.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
    expect((await create(customerBody(), key.toUpperCase())).status).toBe(409)
    expect(await countCustomers()).toBe(before + 1)
  })

  test('is named with everything else that is wrong', async () => {
    const { text } = await send(merchant.wallet, '/v1/customers', JSON.stringify(customerBody({ type: 'robot' })), 'x')
    expect(Object.keys(JSON.parse(text).error.details)).toEqual(['idempotency-key', 'type'])
  })
})

describe('the same request', () => {
  test('gets the same bytes, its own header, and has no second effect', async () => {
    const [body, key] = [customerBody(), randomUUID()]
    const first = await create(body, key)
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
    const count = await countCustomers()
    const again = await create(body, key)
    expect(again).toMatchObject({ status: 201, text: first.text })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('x-response-id')).toBe(first.headers.get('x-response-id'))
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(await countCustomers()).toBe(count)
  })

  test('is the same in other white space and order of fields', async () => {
    const [body, key] = [customerBody(), randomUUID()]
    const first = await create(body, key)
    const reordered = Object.fromEntries(Object.entries(body).reverse())
    const again = await send(merchant.wallet, '/v1/customers', JSON.stringify(reordered, null, 2), key)
    expect(again.text).toBe(first.text)
  })

  test('is the same with another parameter that nothing reads: clients add one to each try, against caches', async () => {
    const [body, key] = [JSON.stringify(customerBody()), randomUUID()]
    const first = await send(merchant.wallet, '/v1/customers?_=1', body, key)
    for (const path of ['/v1/customers?_=2', '/v1/customers', '/v1/customers?']) {
      const again = await send(merchant.wallet, path, body, key)
      expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
    }
  })

  test('is the same with its ids in other letters, or encoded', async () => {
    const customer = await createCustomer(merchant.wallet)
    const [body, key] = [JSON.stringify(addressBody()), randomUUID()]
    const to = (id: string) => send(merchant.wallet, `/v1/customers/${id}/address`, body, key)
    const first = await to(customer)
    expect(first.status).toBe(201)
    const [start = '', ...rest] = customer
    for (const id of [customer.toUpperCase(), `%${start.charCodeAt(0).toString(16)}${rest.join('')}`]) {
      const again = await to(id)
      expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
    }
    expect((await to(await createCustomer(merchant.wallet))).status).toBe(409)
  })

  test('shows what was true then, also when the customer was moved since', async () => {
    const [body, key] = [customerBody(), randomUUID()]
    const first = await create(body, key)
    const { id } = JSON.parse(first.text).data
    await merchant.wallet.post(`/v1/test_helpers/customers/${id}/verify`)
    expect((await create(body, key)).text).toBe(first.text)
  })

  test('64 at the same time make one customer; all others get its bytes, or are told to wait', async () => {
    const [body, key, count] = [customerBody(), randomUUID(), await countCustomers()]
    const answers = await Promise.all(Array.from({ length: 64 }, () => create(body, key)))
    expect(await countCustomers()).toBe(count + 1)
    const done = answers.filter(({ status }) => status === 201)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    expect(done.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1)
    for (const { status, headers, text } of answers.filter((one) => one.status !== 201)) {
      expectWalletError({ status, headers, body: JSON.parse(text) }, 409, 'IDEMPOTENCY_IN_PROGRESS')
      expect(headers.get('retry-after')).toBe('1')
    }
  })

  test('while the first is in hand is 409 with Retry-After, and is let in when that came to nothing', async () => {
    const [body, key] = [customerBody(), randomUUID()]
    // The transaction of a process that does not come to its end.
    const first = await service.pool.connect()
    await first.query('begin')
    await first.query(`insert into idempotency_keys values ($1, '*', $2, '', '{}', now())`, [merchant.merchantId, key])
    const { status, headers, text } = await create(body, key)
    expectWalletError({ status, headers, body: JSON.parse(text) }, 409, 'IDEMPOTENCY_IN_PROGRESS')
    expect(headers.get('retry-after')).toBe('1')
    await first.query('rollback')
    first.release()
    expect((await create(body, key)).status).toBe(201)
  })

  test('a refusal is the same too, also when it would be granted now', async () => {
    const [key, email] = [randomUUID(), 'refused@example.com']
    const id = await createCustomer(merchant.wallet, { email })
    const first = await create(customerBody({ email }), key)
    expect(first.status).toBe(409)
    await service.pool.query('delete from wallet_customers where id = $1', [id])
    expect(await create(customerBody({ email }), key)).toMatchObject({ status: 409, text: first.text })
    expect((await create(customerBody({ email }), randomUUID())).status).toBe(201)
  })

  test('what was not valid leaves the key free', async () => {
    const key = randomUUID()
    expect((await create(customerBody({ type: 'robot' }), key)).status).toBe(400)
    expect((await create(customerBody(), key)).status).toBe(201)
  })
})

describe('another request with the key', () => {
  const used = async (): Promise<string> => {
    const key = randomUUID()
    expect((await create(customerBody(), key)).status).toBe(201)
    return key
  }
  const expectConflict = ({ status, headers, text }: Awaited<ReturnType<typeof send>>) =>
    expectWalletError({ status, headers, body: JSON.parse(text) }, 409, 'IDEMPOTENCY_CONFLICT')

  test('another body is a conflict, of 64 at the same time as well', async () => {
    const count = await countCustomers()
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 64 }, () => create(customerBody(), key)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const codes = answers.map(({ text }) => JSON.parse(text).error?.code).filter((code) => code !== undefined)
    expect(codes.filter((code) => !['IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_IN_PROGRESS'].includes(code))).toEqual([])
    expect(await countCustomers()).toBe(count + 1)
    expectConflict(await create(customerBody(), key))
  })

  test('another path is a conflict: the same body for another customer of the merchant', async () => {
    const [key, body] = [randomUUID(), JSON.stringify(addressBody())]
    const [one, two] = [await createCustomer(merchant.wallet), await createCustomer(merchant.wallet)]
    expect((await send(merchant.wallet, `/v1/customers/${one}/address`, body, key)).status).toBe(201)
    expectConflict(await send(merchant.wallet, `/v1/customers/${two}/address`, body, key))
    expect((await merchant.wallet.get(`/v1/customers/${two}/address`)).body.data).toEqual([])
  })

  test('another operation is a conflict', async () => {
    const id = await createCustomer(merchant.wallet)
    const key = await used()
    expectConflict(await send(merchant.wallet, `/v1/test_helpers/customers/${id}/verify`, undefined, key))
    expect((await merchant.wallet.get(`/v1/customers/${id}`)).body.data.status).toBe('pending')
  })

  test('of another merchant it is another key: the same request makes another customer', async () => {
    const other = await service.addMerchant()
    const [body, key] = [customerBody(), randomUUID()]
    const [ours, theirs] = [await create(body, key), await create(body, key, other.wallet)]
    expect([ours.status, theirs.status, theirs.headers.get('idempotent-replayed')]).toEqual([201, 201, null])
    expect(JSON.parse(ours.text).data.id).not.toBe(JSON.parse(theirs.text).data.id)
  })

  test('two wallet keys of one merchant share it', async () => {
    const { key: second } = await service.app.merchants.createKey(merchant.merchantId, 'wallet')
    const [body, key] = [customerBody(), randomUUID()]
    const first = await create(body, key)
    expect((await create(body, key, { ...merchant.wallet, key: second.reveal() })).text).toBe(first.text)
  })
})

test('a connection that dies before the commit leaves nothing: the same request then has the effect', async () => {
  const [body, key, count] = [customerBody(), randomUUID(), await countCustomers()]
  const holder = await service.pool.connect()
  await holder.query('begin; lock table wallet_customers in exclusive mode')
  const dying = create(body, key)
  await expect.poll(async () => waitingInserts()).toBeGreaterThan(0)
  await service.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into wallet_customers%'`,
  )
  expect((await dying).status).toBe(503)
  await holder.query('commit')
  holder.release()
  expect(await countCustomers()).toBe(count)
  const again = await create(body, key)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null])
})

test('a key is remembered for 24 hours: after that it is a new one', async () => {
  const [body, key] = [customerBody(), randomUUID()]
  const first = await create(body, key)
  const deps = { pool: service.pool, clock: service.clock }
  await service.clock.advance(KEYS_KEPT_SECONDS - 60)
  await deleteOldKeys(deps)
  expect((await create(body, key)).text).toBe(first.text)
  await service.clock.advance(120)
  await deleteOldKeys(deps)
  expect((await create(body, key)).status).toBe(409)
})

test('nothing of a person stands in the clear where responses are stored', async () => {
  await create(customerBody({ first_name: 'Zebulon', email: 'zebulon@example.com' }), randomUUID())
  const { rows } = await service.pool.query('select * from idempotency_keys')
  expect(JSON.stringify(rows)).not.toMatch(/zebulon/i)
})

async function waitingInserts(): Promise<number> {
  const { rows } = await service.pool.query(
    `select count(*) from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into wallet_customers%'`,
  )
  return Number(rows[0].count)
}
