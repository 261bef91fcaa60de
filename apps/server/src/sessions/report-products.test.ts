// Guarantee: what a report says of products is recorded with the product that is meant, or refused.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectError, report, waitingSession, withProducts } from '../../test/flows.ts'
import { purchaseRow } from '../../test/rows/charges.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
  merchant = service.merchant
})
afterAll(() => service?.close())

/** A session of two products that waits for its report. */
async function waiting() {
  const session = await waitingSession(merchant, undefined, withProducts)
  return { ...session, products: session.item.products as { product_ref_id: string }[] }
}

test('nothing paid, and nothing said of what is optional', async () => {
  const { id, products, approved } = await waiting()
  const product_ref_id = products[0]?.product_ref_id
  const answer = await report(merchant, id, {
    ...approved,
    ...{ amount_paid: '0.00', authorization_code: '', response_code: '' },
    product_statuses: [{ product_id: '', product_ref_id, status: 'CANCELED', amount_paid: '0.00' }],
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  expect(await purchaseRow(service.pool, id)).toMatchObject({
    ...{ paid_minor: 0n, authorization_code: null, response_code: null },
    products: [{ status: 'CANCELED', paid: '0.00' }, {}],
  })
})

test('two ids of one product are fine, of two products they are refused, all at once', async () => {
  const { id, products, approved } = await waiting()
  const [tea, cup] = products
  const mixed = { product_id: 'sku-tea', product_ref_id: cup?.product_ref_id, status: 'COMPLETED' }
  const unknown = { product_id: 'sku-none', status: 'COMPLETED' }
  const right = { product_id: 'sku-tea', product_ref_id: tea?.product_ref_id, status: 'COMPLETED' }
  const refused = await report(merchant, id, { ...approved, product_statuses: [mixed, right, unknown] })
  expectError(refused, 400, 'PRODUCT_NOT_FOUND')
  expect(Object.keys(refused.body.error.details)).toEqual([
    'product_statuses[0].product_ref_id',
    'product_statuses[2].product_id',
  ])
  expect((await report(merchant, id, { ...approved, product_statuses: [right] })).status).toBe(200)
})

test('products by either id', async () => {
  const { id, products: lines, approved } = await waiting()
  const product_ref_id = lines[1]?.product_ref_id
  const product_statuses = [
    { product_id: 'sku-tea', status: 'COMPLETED', amount_paid: '30' },
    { product_ref_id, status: 'ONHOLD' },
  ]
  expect((await report(merchant, id, { ...approved, product_statuses })).status).toBe(200)
  const { products } = await purchaseRow(service.pool, id)
  expect(products).toMatchObject([{ status: 'COMPLETED', paid: '30.00' }, { status: 'ONHOLD' }])
})
