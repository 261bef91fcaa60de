import * as wireOf from '@mintmark/contract/wire/wallet/carts'
import { shownBy } from '../../db/respond-once.ts'
import { MAX_COUNTED, pageOf, rangeOf } from '../../http/page.ts'
import { type Route, route } from '../../http/route.ts'
import { accountSuspended } from '../../merchants/errors.ts'
import { WALLET_CHANGE, WALLET_READ } from '../credential.ts'
import { customerNotFound } from '../customers/errors.ts'
import { merchantNotFound, productNotFound } from '../store/errors.ts'
import { cartNotFound, cartNotOpen, invalidQuantity } from './errors.ts'
import { CART_EXAMPLE, CART_ITEMS_EXAMPLE, CREATED_CART_EXAMPLE, LISTED_CART_EXAMPLE } from './examples.ts'
import type { CartService } from './service.ts'
import * as wire from './wire.ts'

export interface CartRouteDeps {
  carts: CartService
}

export function cartRoutes({ carts }: CartRouteDeps): Route[] {
  return [createRoute(carts), listRoute(carts), getRoute(carts), updateRoute(carts)]
}

const tag = 'Carts'

function createRoute(carts: CartService): Route {
  return route({
    ...WALLET_CHANGE,
    method: 'POST',
    path: '/v1/customers/:customerId/merchants/:merchantId/carts',
    operationId: 'createCart',
    summary: 'Create a cart',
    description:
      'A cart has products of one merchant, and shows today’s prices until it is ordered. It keeps nothing back: `INVALID_QUANTITY` ' +
      'says that there are fewer now, and the order says it again.',
    tag,
    status: 201,
    params: wireOf.NewCartParams,
    body: wireOf.CreateCartBody,
    check: wire.newCartProblems,
    response: wireOf.CreatedCart,
    example: { body: CART_ITEMS_EXAMPLE, response: CREATED_CART_EXAMPLE },
    errors: [accountSuspended, customerNotFound, merchantNotFound, productNotFound, invalidQuantity],
    handler: ({ caller: { merchantId }, params: { customerId, merchantId: storeId }, body, once }) =>
      carts.create({ merchantId, customerId, storeId }, wire.fromWireItems(body), shownBy(once, wire.toWireCreated)),
  })
}

function listRoute(carts: CartService): Route {
  return route({
    ...WALLET_READ,
    path: '/v1/customers/:customerId/carts',
    operationId: 'listCarts',
    summary: 'List carts',
    description:
      'Those of one customer, newest first, in every status. Where pages end, `before` with the last cart leads on.',
    tag,
    params: wireOf.CustomerCartsParams,
    query: wireOf.CartPageQuery,
    isPaged: true,
    response: wireOf.CartList,
    example: { response: { count: 1, carts: [LISTED_CART_EXAMPLE] } },
    errors: [customerNotFound],
    async handler({ caller: { merchantId }, params: { customerId }, query: { before, ...page } }) {
      const range = rangeOf(page)
      const customer = { merchantId, customerId }
      const { rows, counted } = await carts.list(customer, { ...range, most: MAX_COUNTED }, before)
      return pageOf(wire.toWireCarts(rows), range, counted)
    },
  })
}

function getRoute(carts: CartService): Route {
  return route({
    ...WALLET_READ,
    path: '/v1/customers/:customerId/carts/:cartId',
    operationId: 'getCart',
    summary: 'Read a cart',
    description: 'While it is open, with today’s prices; ordered, with those that were paid.',
    tag,
    params: wireOf.CustomerCartParams,
    response: wireOf.Cart,
    example: { response: CART_EXAMPLE },
    errors: [customerNotFound, cartNotFound],
    handler: async ({ caller: { merchantId }, params: { customerId, cartId } }) =>
      wire.toWireCart(await carts.find({ merchantId, customerId, cartId })),
  })
}

function updateRoute(carts: CartService): Route {
  return route({
    ...WALLET_CHANGE,
    method: 'PATCH',
    path: '/v1/carts/:cartId',
    operationId: 'updateCart',
    summary: 'Change a cart',
    description:
      'Takes products out, then puts products in. What is in the cart already becomes more; a product in both lists begins anew. ' +
      '409 `INVALID_STATE` for a cart that was ordered or abandoned.',
    tag,
    status: 200,
    params: wireOf.CartParams,
    body: wireOf.UpdateCartBody,
    check: wire.cartProblems,
    response: wireOf.Cart,
    example: { body: { add: CART_ITEMS_EXAMPLE }, response: CART_EXAMPLE },
    errors: [accountSuspended, cartNotFound, cartNotOpen, productNotFound, invalidQuantity],
    handler: ({ caller: { merchantId }, params: { cartId }, body, once }) =>
      carts.update({ merchantId, cartId }, wire.fromWireUpdate(body), shownBy(once, wire.toWireCart)),
  })
}
