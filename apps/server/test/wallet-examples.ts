import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { RouteExample } from '../src/http/testing/table-walk.ts'
import { customerExample, customerExamples } from '../src/wallets/testing/customers.ts'
import { addStore, type TestStore } from '../src/wallets/testing/stores.ts'
import type { TestMerchant, TestService } from './service.ts'
import { newWalletCustomer, type TestWalletCustomer } from './wallet-customers.ts'

/** All that the rows of the wallet API name, of one merchant account. */
export interface Goods {
  customer: TestWalletCustomer
  store: TestStore
  productId: string
  cartId: string
  orderId: string
}

/** A customer with money, an open cart, and an order. */
export async function goodsOf(service: TestService, merchant: TestMerchant): Promise<Goods> {
  const store = await addStore(service, merchant, { green: { inventory: 1_000_000 } })
  const productId = store.products.green ?? ''
  const customer = await newWalletCustomer(service, merchant, '1000')
  const cart = async (): Promise<string> => {
    const items = [{ product_id: productId, qty: 1 }]
    const { status, body } = await merchant.wallet.post(`${customer.path}/merchants/${store.storeId}/carts`, items)
    expect({ status, body }).toMatchObject({ status: 201 })
    return body.data.cart_id
  }
  const ordered = await customer.order(await cart())
  expect(ordered).toMatchObject({ status: 201 })
  return { customer, store, productId, cartId: await cart(), orderId: ordered.body.data.order_id }
}

interface Accounts {
  merchant: TestMerchant
  other: TestMerchant
}

/** An example of every row of the wallet API. */
export async function walletExamples(
  service: TestService,
  { merchant, other }: Accounts,
): Promise<Record<string, () => RouteExample | Promise<RouteExample>>> {
  const [own, theirs] = [await goodsOf(service, merchant), await goodsOf(service, other)]
  const nobodys = randomUUID()
  const ofCustomer = (body?: unknown) => customerExample({ merchant, other }, body)
  /** The customer is the caller's own; what else the path names is another's, or is not there. */
  const named = (name: string, ids: { own: string; theirs: string }, body?: unknown): RouteExample => {
    const parts = (id: string) => ({
      params: { ...paramsOf(own), [name]: id },
      ...(body !== undefined && { body }),
    })
    return { own: parts(ids.own), foreign: { theirs: parts(ids.theirs), nobodys: parts(nobodys), status: 404 } }
  }
  const wallet = { own: own.customer.walletId, theirs: theirs.customer.walletId }
  const cart = { own: own.cartId, theirs: theirs.cartId }
  const store = { own: own.store.storeId, theirs: theirs.store.storeId }
  const product = { own: own.productId, theirs: theirs.productId }
  const items = [{ product_id: own.productId, qty: 1 }]
  return {
    ...customerExamples({ merchant, other }),
    listWallets: () => ofCustomer(),
    getWallet: () => named('walletId', wallet),
    depositToWallet: () => named('walletId', wallet, { amount: '1.00' }),
    listMerchants: () => ({
      own: { params: { categoryCode: 'food' } },
      foreign: 'A category is a word, and nobody’s.',
    }),
    listProducts: () => named('merchantId', store),
    getProduct: () => named('productId', product),
    createCart: () => named('merchantId', store, items),
    listCarts: () => ofCustomer(),
    getCart: () => named('cartId', cart),
    updateCart: () => named('cartId', cart, { add: items }),
    orderByWallet: () => named('cartId', cart, { address: own.customer.addressId }),
    listOrders: () => ofCustomer(),
    getOrder: () => named('orderId', { own: own.orderId, theirs: theirs.orderId }),
  }
}

/** Values of every path parameter, of things that are there. */
export function paramsOf({ customer, store, productId, cartId, orderId }: Goods): Record<string, string> {
  const { customerId, walletId } = customer
  const ofStore = { merchantId: store.storeId, categoryCode: 'food', productId }
  return { customerId, walletId, cartId, orderId, ...ofStore }
}
