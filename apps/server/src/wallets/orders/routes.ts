import { WalletCustomerParams } from '@mintmark/contract/wire/wallet/customers'
import * as wireOf from '@mintmark/contract/wire/wallet/orders'
import { shownBy } from '../../db/respond-once.ts'
import { MAX_COUNTED, pageOf, rangeOf } from '../../http/page.ts'
import { type Route, route } from '../../http/route.ts'
import { accountSuspended } from '../../merchants/errors.ts'
import { walletNotFound } from '../accounts/errors.ts'
import { cartEmpty, cartNotFound, cartNotOpen } from '../carts/errors.ts'
import { WALLET_CHANGE, WALLET_READ } from '../credential.ts'
import { addressNotFound, customerNotFound, customerRejected } from '../customers/errors.ts'
import { insufficientFunds, orderNotFound, otherAmount, otherCurrency, outOfStock } from './errors.ts'
import type { OrderService } from './service.ts'
import * as wire from './wire.ts'

export interface OrderRouteDeps {
  walletOrders: OrderService
}

export function orderRoutes(deps: OrderRouteDeps): Route[] {
  return [placeRoute(deps), listRoute(deps), findRoute(deps)]
}

const CUSTOMER = '/v1/customers/:customerId'
const tag = 'Orders'

function placeRoute({ walletOrders }: OrderRouteDeps): Route {
  return route({
    ...WALLET_CHANGE,
    method: 'POST',
    path: `${CUSTOMER}/carts/:cartId/order/wallet/:walletId`,
    operationId: 'orderByWallet',
    summary: 'Pay a cart from a wallet',
    description:
      'What the cart costs is taken from the wallet, the products from the stock, and the cart is `ordered`: all of it, or nothing. A cart ' +
      'is paid once. With `amount` it is paid only if it costs what your customer was shown; prices may have changed since.',
    tag,
    status: 201,
    params: wireOf.OrderByWalletParams,
    body: wireOf.OrderBody,
    response: wireOf.Order,
    example: { body: { address: ORDER_EXAMPLE.address_id }, response: ORDER_EXAMPLE },
    errors: [
      ...[accountSuspended, customerNotFound, cartNotFound, walletNotFound, addressNotFound, customerRejected],
      ...[cartNotOpen, cartEmpty, otherCurrency, otherAmount, insufficientFunds, outOfStock],
    ],
    handler: ({ caller: { merchantId }, params, body, once }) =>
      walletOrders.place(wire.fromWireOrder(merchantId, params, body), shownBy(once, wire.toWireOrder)),
  })
}

function listRoute({ walletOrders }: OrderRouteDeps): Route {
  return route({
    ...WALLET_READ,
    path: `${CUSTOMER}/orders`,
    operationId: 'listOrders',
    summary: 'List orders',
    description: 'Those of one customer, newest first. Where pages end, `before` with the last order leads on.',
    tag,
    params: WalletCustomerParams,
    query: wireOf.OrderPageQuery,
    isPaged: true,
    response: wireOf.OrderList,
    example: { response: { count: 1, orders: [ORDER_EXAMPLE] } },
    errors: [customerNotFound],
    async handler({ caller: { merchantId }, params: { customerId }, query: { before, ...page } }) {
      const range = rangeOf(page)
      const customer = { merchantId, customerId }
      const { rows, counted } = await walletOrders.list(customer, { ...range, most: MAX_COUNTED }, before)
      return pageOf(wire.toWireOrders(rows), range, counted)
    },
  })
}

function findRoute({ walletOrders }: OrderRouteDeps): Route {
  return route({
    ...WALLET_READ,
    path: `${CUSTOMER}/orders/:orderId`,
    operationId: 'getOrder',
    summary: 'Read an order',
    description: 'As it was paid.',
    tag,
    params: wireOf.OrderParams,
    response: wireOf.Order,
    example: { response: ORDER_EXAMPLE },
    errors: [customerNotFound, orderNotFound],
    handler: async ({ caller: { merchantId }, params }) =>
      wire.toWireOrder(await walletOrders.find({ merchantId, ...params })),
  })
}

const AT = '2026-11-21T12:05:00.000Z'
const ORDER_EXAMPLE = {
  order_id: '019aa664-9350-7e21-8a4c-3d5b7f90c1e2',
  cart_id: '019aa663-a8f0-7c43-9b1e-5f2d8e6a0b34',
  customer_id: '019aa660-7400-7b44-8e0d-5a3c9b1f2d60',
  wallet_id: '019aa660-7400-7d0a-b3f1-0c8e2f6a9d13',
  status: 'completed',
  amount: '40.00',
  currency: 'USD',
  address_id: '019aa660-7800-7c15-9a21-6b0f3d8e4c72',
  created_at: AT,
  updated_at: AT,
} as const
