// Guarantee: a deposit is in the wallet once a key, to the cent, and never beyond what an amount can say; in production there is none.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PRODUCTION, startTestService, type TestService, type WalletCaller } from '../../../test/service.ts'
import { newWalletCustomer } from '../../../test/wallet-customers.ts'

let service: TestService
let wallet: WalletCaller
beforeAll(async () => {
  service = await startTestService()
  wallet = service.merchant.wallet
})
afterAll(() => service?.close())

const customer = (amount?: string) => newWalletCustomer(service, service.merchant, amount)

describe('a wallet', () => {
  test('in USD is there with its customer, empty', async () => {
    const ann = await customer()
    const { status, body } = await wallet.get(`${ann.path}/wallets`)
    const shown = {
      wallet_id: ann.walletId,
      balance: { currency: 'USD', amount: '0.00' },
      ...{ created_at: expect.any(String), updated_at: expect.any(String) },
    }
    expect({ status, data: body.data }).toEqual({ status: 200, data: { count: 1, data: [shown] } })
    expect(body.meta.pagination).toEqual({ page: 1, page_size: 20, total_count: 1, has_more: false })
    expect((await wallet.get(`${ann.path}/wallets?page=2`)).body.data).toEqual({ count: 0, data: [] })
    const one = await wallet.get(`${ann.path}/wallets/${ann.walletId.toUpperCase()}`)
    expect(one.body.data).toEqual({ ...shown, customer_id: ann.customerId })
  })

  test('that is not there or another’s is not found, in the same words', async () => {
    const other = await service.addMerchant()
    const [ann, bob] = [await customer(), await customer()]
    const theirs = await newWalletCustomer(service, other)
    const words = async (path: string) => {
      const { status, body } = await wallet.get(path)
      const { request_id, ...error } = body.error
      return { status, ...error }
    }
    for (const id of [randomUUID(), 'wallet', bob.walletId, theirs.walletId]) {
      expect(await words(`${ann.path}/wallets/${id}`)).toMatchObject({ status: 404, code: 'WALLET_NOT_FOUND' })
    }
    for (const id of [randomUUID(), 'ann', theirs.customerId]) {
      const none = { status: 404, code: 'CUSTOMER_NOT_FOUND' }
      expect(await words(`/v1/customers/${id}/wallets/${ann.walletId}`)).toMatchObject(none)
      expect(await words(`/v1/customers/${id}/wallets`)).toMatchObject(none)
    }
  })
})

describe('a deposit', () => {
  test('is in the wallet', async () => {
    const ann = await customer()
    const { status, body } = await ann.deposit('40.5')
    expect({ status, data: body.data }).toEqual({
      status: 200,
      data: { wallet_balance: { currency: 'USD', amount: '40.50' } },
    })
    expect((await ann.deposit('0.01')).body.data.wallet_balance.amount).toBe('40.51')
    const { data } = (await wallet.get(`${ann.path}/wallets/${ann.walletId}`)).body
    expect(data.balance.amount).toBe('40.51')
    expect(Date.parse(data.updated_at)).toBeGreaterThanOrEqual(Date.parse(data.created_at))
  })

  test.each([['0'], ['0.00'], ['-1'], ['1.001'], ['1e3'], ['1000000000000'], [' 1'], [5], [null]])(
    'of %j is none',
    async (amount) => {
      const ann = await customer()
      const { status, body } = await wallet.post(`${ann.path}/wallets/${ann.walletId}/deposit`, { amount })
      expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
      expect(body.error.details).toHaveProperty('amount')
      expect(await ann.balance()).toBe('0.00')
    },
  )

  test('beyond what a wallet holds names the field, and changes nothing', async () => {
    const ann = await customer('999999999999.98')
    const { status, body } = await ann.deposit('0.02')
    expect({ status, error: body.error }).toMatchObject({
      status: 400,
      error: { code: 'VALIDATION_ERROR', details: { amount: expect.stringContaining('999999999999.99') } },
    })
    expect((await ann.deposit('0.01')).status).toBe(200)
    expect(await ann.balance()).toBe('999999999999.99')
  })

  test('to a customer who was rejected is not allowed', async () => {
    const ann = await customer()
    expect((await wallet.post(`/v1/test_helpers/customers/${ann.customerId}/reject`)).status).toBe(200)
    const { status, body } = await ann.deposit('1.00')
    expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'OPERATION_NOT_ALLOWED' })
  })

  test('by 64 equal requests at once with one key is one; by 64 keys, 64', async () => {
    const [ann, key] = [await customer(), randomUUID()]
    const same = await Promise.all(Array.from({ length: 64 }, () => ann.deposit('1.00', key)))
    const other = same.flatMap(({ status, body }) => (status === 200 ? [] : [body.error.code]))
    expect(other.filter((code) => code !== 'IDEMPOTENCY_IN_PROGRESS')).toEqual([])
    expect(await ann.balance()).toBe('1.00')
    const each = await Promise.all(Array.from({ length: 64 }, () => ann.deposit('1.00')))
    expect(each.every(({ status }) => status === 200)).toBe(true)
    expect(await ann.balance()).toBe('65.00')
  })

  test('in production is not allowed, and nothing is written', async () => {
    const ann = await customer()
    const production = await startTestService({ env: PRODUCTION, database: service.database })
    try {
      // Nor is the description of the APIs served there, unless it is asked for.
      const { apiUrl, walletUrl } = production
      for (const host of [apiUrl, walletUrl]) {
        for (const path of ['/docs', '/docs/viewer.js', '/openapi.json']) {
          expect((await fetch(host + path)).status, path).toBe(404)
        }
      }
      const { key: live } = await production.app.merchants.createKey(service.merchant.merchantId, 'wallet', 'merchant')
      const headers = { 'api-key': live.reveal(), 'idempotency-key': randomUUID() }
      const path = `${ann.path}/wallets/${ann.walletId}/deposit`
      const { status, body } = await production.merchant.wallet.send('POST', path, { amount: '1.00' }, headers)
      expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'OPERATION_NOT_ALLOWED' })
    } finally {
      await production.close()
    }
    expect(await ann.balance()).toBe('0.00')
  })
})
