// Guarantee: a customer is made once with a wallet, one an email address, and is seen by their merchant alone.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PRODUCTION, startTestService, type TestMerchant, type TestService } from '../../../test/service.ts'
import { addAddress, addressBody, createCustomer, customerBody, expectWalletError } from '../testing/customers.ts'

let service: TestService
let merchant: TestMerchant
let other: TestMerchant
beforeAll(async () => {
  service = await startTestService()
  merchant = service.merchant
  other = await service.addMerchant()
})
afterAll(() => service.close())

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
const countOf = async (table: string) =>
  Number((await service.pool.query(`select count(*) from ${table}`)).rows[0].count)

describe('create', () => {
  test('returns the customer, pending, and opens a wallet in USD', async () => {
    const key = randomUUID()
    const { status, headers, body } = await merchant.wallet.post(
      '/v1/customers',
      customerBody({ email: 'Ann@Example.com' }),
      key,
    )
    expect(status).toBe(201)
    expect(body).toEqual({
      data: {
        id: UUID,
        type: 'individual',
        status: 'pending',
        first_name: 'Ann',
        last_name: 'Example',
        email: 'Ann@Example.com',
        created_at: TIME,
        updated_at: TIME,
      },
      meta: { request_id: headers.get('x-response-id'), timestamp: TIME, idempotency_key: key },
    })
    const { rows } = await service.pool.query(
      'select kind, currency, balance_minor from ledger_accounts where holder_id = $1',
      [body.data.id],
    )
    expect(rows).toEqual([{ kind: 'wallet', currency: 'USD', balance_minor: 0n }])
    expect((await merchant.wallet.get(`/v1/customers/${body.data.id}`)).body.data).toEqual(body.data)
  })

  test('needs no more than who it is; folds white space, and takes "" for absent', async () => {
    const body = {
      type: 'business',
      first_name: ' Ann \t Mary ',
      last_name: 'Example',
      email: 'least@example.com',
      phone: '',
    }
    const { status, body: answer } = await merchant.wallet.post('/v1/customers', body)
    expect([status, answer.data.first_name]).toEqual([201, 'Ann Mary'])
  })

  test.each<[string, Record<string, unknown>, string[]]>([
    [
      'everything that is wrong at the same time',
      { type: 'robot', email: 'x', last_name: undefined },
      ['type', 'email', 'last_name'],
    ],
    ['an unknown field', { nick: 'A' }, ['nick']],
    ['a day that does not exist', { birth_date: '2000-02-30' }, ['birth_date']],
    ['a day that has not come', { birth_date: '2999-01-01' }, ['birth_date']],
    ['a day with a time', { birth_date: '2000-02-01T00:00:00Z' }, ['birth_date']],
    ['a country that is none', { address: { street_line_1: 'x', city: 'y', country: 'ZZ' } }, ['address.country']],
    ['a blank name', { first_name: ' \t ' }, ['first_name']],
    ['a control character', { first_name: 'Ann\u0000' }, ['first_name']],
  ])('refuses %s, and names each field', async (_what, changes, fields) => {
    const answer = await merchant.wallet.post('/v1/customers', customerBody(changes))
    expectWalletError(answer, 400, 'VALIDATION_ERROR')
    expect(Object.keys(answer.body.error.details).sort()).toEqual([...fields].sort())
    for (const field of fields) expect(answer.body.error.message).toContain(field)
  })

  test('a taken email is 409 CUSTOMER_EXISTS, also in other letters; of another merchant it is free', async () => {
    await createCustomer(merchant.wallet, { email: 'taken@bücher.example' })
    for (const email of ['taken@bücher.example', 'TAKEN@BÜCHER.example', 'taken@xn--bcher-kva.example']) {
      expectWalletError(await merchant.wallet.post('/v1/customers', customerBody({ email })), 409, 'CUSTOMER_EXISTS')
    }
    await createCustomer(other.wallet, { email: 'taken@bücher.example' })
  })

  test('whom a taken email belongs to is found by it, in whatever letters, and by their merchant alone', async () => {
    const id = await createCustomer(merchant.wallet, { email: 'Found+1@bücher.example' })
    const found = async (email: string, { wallet } = merchant, more = '') =>
      (await wallet.get(`/v1/customers?email=${encodeURIComponent(email)}${more}`)).body
    for (const email of ['found+1@bücher.example', 'FOUND+1@xn--bcher-kva.example']) {
      const { data, meta } = await found(email)
      expect(data).toMatchObject({ count: 1, data: [{ id, email: 'Found+1@bücher.example' }] })
      expect(meta.pagination).toEqual({ page: 1, page_size: 20, total_count: 1, has_more: false })
    }
    const none = { count: 0, data: [] }
    expect((await found('found+2@bücher.example')).data).toEqual(none)
    expect((await found('found+1@bücher.example', other)).data).toEqual(none)
    expect((await found('found+1@bücher.example', merchant, '&page=2')).data).toEqual(none)
    expect((await found('found+1@bücher.example', merchant, `&before=${id}`)).data).toEqual(none)
    expectWalletError(await merchant.wallet.get('/v1/customers?email=found'), 400, 'VALIDATION_ERROR')
  })

  test('of 64 at the same time for one email one is made, with one wallet', async () => {
    const [customers, accounts] = [await countOf('wallet_customers'), await countOf('ledger_accounts')]
    const race = Array.from({ length: 64 }, () =>
      merchant.wallet.post('/v1/customers', customerBody({ email: 'race@example.com' })),
    )
    const answers = await Promise.all(race)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 201))
      expectWalletError(answer, 409, 'CUSTOMER_EXISTS')
    expect(await countOf('wallet_customers')).toBe(customers + 1)
    expect(await countOf('ledger_accounts')).toBe(accounts + 1)
  })
})

describe('read', () => {
  test.each([
    ['none', () => randomUUID()],
    ['another merchant’s', () => createCustomer(other.wallet)],
    ['no id', async () => 'customer-1'],
    ['an encoded slash', async () => 'a%2Fb'],
  ])('%s is 404 CUSTOMER_NOT_FOUND', async (_what, idOf) => {
    const id = await idOf()
    for (const path of [`/v1/customers/${id}`, `/v1/customers/${id}/address`]) {
      expectWalletError(await merchant.wallet.get(path), 404, 'CUSTOMER_NOT_FOUND')
    }
    expectWalletError(
      await merchant.wallet.post(`/v1/customers/${id}/address`, addressBody()),
      404,
      'CUSTOMER_NOT_FOUND',
    )
    expectWalletError(await merchant.wallet.post(`/v1/test_helpers/customers/${id}/verify`), 404, 'CUSTOMER_NOT_FOUND')
  })

  test('an id in capital letters is the same id', async () => {
    const id = await createCustomer(merchant.wallet)
    expect((await merchant.wallet.get(`/v1/customers/${id.toUpperCase()}`)).body.data.id).toBe(id)
  })
})

describe('list', () => {
  let lister: TestMerchant
  const ids: string[] = []
  beforeAll(async () => {
    lister = await service.addMerchant()
    for (let index = 0; index < 25; index += 1) ids.unshift(await createCustomer(lister.wallet))
  })
  const page = async (query = '') => (await lister.wallet.get(`/v1/customers${query}`)).body
  const idsOf = ({ data }: { data: { data: { id: string }[] } }) => data.data.map(({ id }) => id)

  test('is newest first, in pages of 20, and says what there is', async () => {
    const first = await page()
    // Those of one millisecond are in no order.
    expect([...idsOf(first), ...idsOf(await page('?page=2'))].sort()).toEqual([...ids].sort())
    expect([first.data.count, first.meta.pagination]).toEqual([
      20,
      { page: 1, page_size: 20, total_count: 25, has_more: true },
    ])
    expect((await page('?page=2')).meta.pagination).toEqual({
      page: 2,
      page_size: 20,
      total_count: 25,
      has_more: false,
    })
    expect((await page('?page=5&page_size=5')).meta.pagination).toMatchObject({ total_count: 25, has_more: false })
    const beyond = await page('?page=6&page_size=5')
    expect([beyond.data, beyond.meta.pagination.has_more]).toEqual([{ count: 0, data: [] }, false])
  })

  test('goes on before a customer', async () => {
    const first = await page('?page_size=10')
    const rest = await page(`?page_size=100&before=${idsOf(first).at(-1)}`)
    expect([...idsOf(first), ...idsOf(rest)].sort()).toEqual([...ids].sort())
    expect(rest.meta.pagination.total_count).toBe(15)
  })

  test.each([
    ['page=0', 'page'],
    ['page=1.5', 'page'],
    ['page=x', 'page'],
    ['page_size=0', 'page_size'],
    ['page_size=101', 'page_size'],
    ['page_size=20&page_size=20', 'page_size'],
    ['page=501&page_size=20', 'page'],
    ['page=99999', 'page'],
    ['before=x', 'before'],
    ['sort=name', 'sort'],
  ])('refuses ?%s', async (query, field) => {
    const answer = await lister.wallet.get(`/v1/customers?${query}`)
    expectWalletError(answer, 400, 'VALIDATION_ERROR')
    expect(Object.keys(answer.body.error.details)).toEqual([field])
  })

  test('the deepest page costs no more than its reach: what is counted and walked over is bounded', async () => {
    const big = await service.addMerchant()
    await service.pool.query(
      `insert into wallet_customers (merchant_id, id, type, status, first_name, last_name, email, email_compared, created_at, updated_at)
       select $1, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'individual', 'pending', 'A', 'B', n, n, now(), now()
       from generate_series(1, 10050) n`,
      [big.merchantId],
    )
    const deepest = await big.wallet.get('/v1/customers?page=100&page_size=100')
    expect(deepest.body.data.count).toBe(100)
    expect(deepest.body.meta.pagination).toEqual({ page: 100, page_size: 100, total_count: 10_000, has_more: true })
    const last = deepest.body.data.data.at(-1).id
    const beyond = await big.wallet.get(`/v1/customers?before=${last}`)
    expect(beyond.body.meta.pagination).toMatchObject({ total_count: 50 })
  })
})

describe('addresses', () => {
  test('are added, and listed with all fields', async () => {
    const customerId = await createCustomer(merchant.wallet)
    const { status, body } = await merchant.wallet.post(`/v1/customers/${customerId}/address`, addressBody())
    expect(status).toBe(201)
    const created = { address_id: UUID, customer_id: customerId, status: 'created', created_at: TIME, updated_at: TIME }
    expect(body.data).toEqual(created)
    const second = addressBody({ contact_information: {}, name: 'Bob' })
    await merchant.wallet.post(`/v1/customers/${customerId}/address`, second)
    const list = await merchant.wallet.get(`/v1/customers/${customerId}/address`)
    expect(list.body.data).toHaveLength(2)
    expect(list.body.data).toEqual(
      expect.arrayContaining([
        { ...body.data, ...addressBody() },
        { ...created, ...second },
      ]),
    )
    expect(list.body.meta.pagination).toEqual({ page: 1, page_size: 20, total_count: 2, has_more: false })
  })

  test('a missing field is named', async () => {
    const customerId = await createCustomer(merchant.wallet)
    const body = { ...addressBody({ country: 'USA' }), city: undefined }
    const answer = await merchant.wallet.post(`/v1/customers/${customerId}/address`, body)
    expectWalletError(answer, 400, 'VALIDATION_ERROR')
    expect(Object.keys(answer.body.error.details).sort()).toEqual(['city', 'country'])
  })

  test('of another customer are not shown', async () => {
    const [one, two] = [await createCustomer(merchant.wallet), await createCustomer(merchant.wallet)]
    await addAddress(merchant.wallet, one)
    expect((await merchant.wallet.get(`/v1/customers/${two}/address`)).body.data).toEqual([])
  })
})

describe('the check of a customer', () => {
  test.each([
    ['verify', 'verified'],
    ['reject', 'rejected'],
  ])('%s makes a pending customer %s, once', async (verb, status) => {
    const id = await createCustomer(merchant.wallet)
    const decided = await merchant.wallet.post(`/v1/test_helpers/customers/${id}/${verb}`)
    expect([decided.status, decided.body.data.status]).toEqual([200, status])
    expect((await merchant.wallet.get(`/v1/customers/${id}`)).body.data).toEqual(decided.body.data)
    for (const again of ['verify', 'reject']) {
      expectWalletError(await merchant.wallet.post(`/v1/test_helpers/customers/${id}/${again}`), 409, 'INVALID_STATE')
    }
  })

  test('of 32 verdicts at the same time one counts', async () => {
    const id = await createCustomer(merchant.wallet)
    const verdicts = Array.from({ length: 32 }, (_, index) =>
      merchant.wallet.post(`/v1/test_helpers/customers/${id}/${index % 2 === 0 ? 'verify' : 'reject'}`),
    )
    const answers = await Promise.all(verdicts)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('in production it is refused, and customers are made as everywhere', async () => {
    const production = await startTestService({
      env: PRODUCTION,
      database: service.database,
    })
    try {
      const { wallet } = await production.addMerchant()
      const id = await createCustomer(wallet)
      for (const verb of ['verify', 'reject']) {
        expectWalletError(await wallet.post(`/v1/test_helpers/customers/${id}/${verb}`), 403, 'OPERATION_NOT_ALLOWED')
      }
      expect((await wallet.get(`/v1/customers/${id}`)).body.data.status).toBe('pending')
    } finally {
      await production.close()
    }
  })
})
