import type { Pool } from 'pg'
import { expect } from 'vitest'
import { NO_EVENTS } from '../src/db/testing/no-events.ts'
import type { Clock } from '../src/platform/clock.ts'
import { addCart } from '../src/wallets/carts/testing/carts.ts'
import { importCatalog } from '../src/wallets/store/import.ts'
import { linesOf, merchantLine, productLine } from '../src/wallets/store/testing/world.ts'
import { addAddress, createCustomer } from '../src/wallets/testing/customers.ts'
import type { Answer, TestMerchant, TestService } from './service.ts'

// Customers of the wallet API who shop, over HTTP; the catalog is the operator's.

/** Ids of the products of an account, by the names that its catalog gives them. */
export type Products = Readonly<Record<string, string>>

/** What an account sells: each product with its price and how many there are. */
export async function stockUp(
  { pool, clock }: { pool: Pool; clock: Clock },
  { merchantId }: Pick<TestMerchant, 'merchantId'>,
  goods: Readonly<Record<string, { price: string; inventory: number }>>,
  currency = 'USD',
): Promise<Products> {
  const lines = Object.entries(goods).map(([id, product]) => productLine(id, product))
  await importCatalog({ pool, clock, events: NO_EVENTS }, merchantId, linesOf(merchantLine({ currency }), ...lines))
  const { rows } = await pool.query('select source_key, id from wallet_products where merchant_id = $1', [merchantId])
  return Object.fromEntries(rows.map(({ source_key, id }) => [source_key, id]))
}

export interface TestWalletCustomer {
  customerId: string
  walletId: string
  addressId: string
  /** Paths of the API begin so. */
  path: string
  deposit(amount: string, key?: string): Promise<Answer>
  /** A new cart; returns its id. */
  cart(items: Readonly<Record<string, number>>): Promise<string>
  order(cartId: string, change?: { key?: string; wallet?: string; body?: object }): Promise<Answer>
  /** What is in the wallet. */
  balance(): Promise<string>
}

/** A new customer with an address and so much in the wallet. */
export async function newWalletCustomer(
  { database, pool, clock }: Pick<TestService, 'database' | 'pool'> & { clock: Clock },
  { merchantId, wallet }: Pick<TestMerchant, 'merchantId' | 'wallet'>,
  amount = '0',
): Promise<TestWalletCustomer> {
  const customerId = await createCustomer(wallet)
  const addressId = await addAddress(wallet, customerId)
  const path = `/v1/customers/${customerId}`
  const walletId: string = (await wallet.get(`${path}/wallets`)).body.data.data[0].wallet_id
  const customer: TestWalletCustomer = {
    ...{ customerId, walletId, addressId, path },
    deposit: (sum, key) => wallet.post(`${path}/wallets/${walletId}/deposit`, { amount: sum }, key),
    cart: async (items) =>
      (await addCart({ database, deps: { pool, clock, events: NO_EVENTS } }, merchantId, customerId, items)).cartId,
    order: (cartId, { key, wallet: from = walletId, body = { address: addressId } } = {}) =>
      wallet.post(`${path}/carts/${cartId}/order/wallet/${from}`, body, key),
    balance: async () => (await wallet.get(`${path}/wallets/${walletId}`)).body.data.balance.amount,
  }
  if (amount !== '0') expect((await customer.deposit(amount)).status).toBe(200)
  return customer
}

/** How many there are of each product. */
export async function stockOf(
  { pool }: Pick<TestService, 'pool'>,
  products: Products,
): Promise<Record<string, number>> {
  const { rows } = await pool.query('select product_id, quantity from wallet_stock where product_id = any($1)', [
    Object.values(products),
  ])
  const quantities = new Map(rows.map(({ product_id, quantity }) => [product_id, quantity]))
  return Object.fromEntries(Object.entries(products).map(([name, id]) => [name, quantities.get(id)]))
}
