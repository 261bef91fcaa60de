// Guarantee: what was given up goes with its time, a page at a time; what was ordered, and what a customer may still order, stays.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestMerchant, type TestService } from '../../../test/service.ts'
import { newWalletCustomer, stockUp } from '../../../test/wallet-customers.ts'
import type { CartDeps } from './deps.ts'
import { deleteAbandoned } from './retention.ts'

const DAY = 24 * 60 * 60
/** The default: what a test's cart waits. */
const CART_DAYS = 30
const RETENTION_DAYS = 60

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: { RETENTION_DAYS: String(RETENTION_DAYS) } })
})
afterAll(() => service?.close())

async function shopping(merchant: TestMerchant) {
  const { tea = '' } = await stockUp(service, merchant, { tea: { price: '12.50', inventory: 100 } })
  const customer = await newWalletCustomer(service, merchant, '100')
  return { ...customer, cartOf: (pieces: number) => customer.cart({ [tea]: pieces }) }
}

const afterDays = async (days: number) => {
  await service.clock.advance(days * DAY)
  await service.runJobs()
}

/** The carts of these that are there, and whether their lines are. */
async function kept(ids: string[]) {
  const { rows } = await service.pool.query<{ id: string; status: string; lines: string }>(
    `select id, status, (select count(*) from wallet_cart_lines where cart_id = wallet_carts.id) as lines
     from wallet_carts where id = any($1::uuid[])`,
    [ids],
  )
  const found = new Map(rows.map(({ id, status, lines }) => [id, `${status} ${lines}`]))
  return ids.map((id) => found.get(id) ?? 'gone')
}

test('an abandoned cart goes with its lines after its time; open and ordered ones stay', async () => {
  const customer = await shopping(service.merchant)
  const [resting, ordered] = [await customer.cartOf(1), await customer.cartOf(2)]
  expect((await customer.order(ordered)).status).toBe(201)
  await afterDays(CART_DAYS + 1)
  await afterDays(RETENTION_DAYS - 2)
  const open = await customer.cartOf(3)
  expect(await kept([resting, ordered, open])).toEqual(['abandoned 1', 'ordered 1', 'open 1'])
  await afterDays(2)
  expect(await kept([resting, ordered, open])).toEqual(['gone', 'ordered 1', 'open 1'])
  expect((await service.merchant.wallet.get(`${customer.path}/carts/${resting}`)).body).toMatchObject({
    error: { code: 'CART_NOT_FOUND' },
  })
  const { rowCount } = await service.pool.query('select 1 from wallet_cart_lines where cart_id = $1', [resting])
  expect(rowCount).toBe(0)
})

test('page by page and merchant by merchant; of workers at the same time each takes others', async () => {
  const merchants = [await service.addMerchant(), await service.addMerchant()]
  const carts: string[] = []
  for (const merchant of merchants) {
    const customer = await shopping(merchant)
    for (let made = 0; made < 5; made += 1) carts.push(await customer.cartOf(1))
  }
  await service.clock.advance((CART_DAYS + 1) * DAY)
  await service.job('carts.abandon').run()
  await service.clock.advance(RETENTION_DAYS * DAY)
  const deps = { ...service, retentionDays: RETENTION_DAYS } as unknown as CartDeps
  const pages = await Promise.all(Array.from({ length: 4 }, () => deleteAbandoned(deps, '', 2)))
  expect(Math.max(...pages.map((page) => page?.deleted ?? 0))).toBeLessThanOrEqual(2)
  await service.runJobs()
  expect(await kept(carts)).toEqual(carts.map(() => 'gone'))
})
