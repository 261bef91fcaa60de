import * as wireOf from '@mintmark/contract/wire/wallet/stores'
import { MAX_COUNTED, pageOf, rangeOf } from '../../http/page.ts'
import { type Route, route } from '../../http/route.ts'
import { WALLET_READ } from '../credential.ts'
import { merchantNotFound, productNotFound } from './errors.ts'
import { PRODUCT_DETAILS_EXAMPLE, PRODUCT_EXAMPLE, STORE_EXAMPLE } from './examples.ts'
import type { StoreService } from './service.ts'
import * as wire from './wire.ts'

export interface StoreRouteDeps {
  stores: StoreService
}

export function storeRoutes({ stores }: StoreRouteDeps): Route[] {
  return [listMerchantsRoute(stores), listProductsRoute(stores), getProductRoute(stores)]
}

const tag = 'Merchants'

function listMerchantsRoute(stores: StoreService): Route {
  return route({
    ...WALLET_READ,
    path: '/v1/merchants/category/:categoryCode',
    operationId: 'listMerchants',
    summary: 'List merchants of a category',
    description:
      'Merchants that sell something of the category now, or whose own category it is. What is no category code has none under it. ' +
      'Where pages end, `after` with the last merchant leads on.',
    tag,
    params: wireOf.CategoryParams,
    query: wireOf.StorePageQuery,
    isPaged: true,
    response: wireOf.StoreList,
    example: { response: { count: 1, merchants: [STORE_EXAMPLE] } },
    errors: [],
    async handler({ caller: { merchantId }, params: { categoryCode: category }, query: { after, ...page } }) {
      const range = rangeOf(page)
      const place = { merchantId, category }
      const { rows, counted } = await stores.listStores(place, { ...range, most: MAX_COUNTED }, after)
      return pageOf(wire.toWireStores(rows), range, counted)
    },
  })
}

function listProductsRoute(stores: StoreService): Route {
  return route({
    ...WALLET_READ,
    path: '/v1/merchants/:merchantId/products/:categoryCode',
    operationId: 'listProducts',
    summary: 'List products of a merchant',
    description:
      'What the merchant sells of the category, with today’s prices and how many there are now. Where pages end, `after` with the last ' +
      'product leads on.',
    tag,
    params: wireOf.StoreProductsParams,
    query: wireOf.ProductPageQuery,
    isPaged: true,
    response: wireOf.StoreProductList,
    example: {
      response: {
        count: 1,
        merchant_id: STORE_EXAMPLE.merchant_id,
        category_code: 'food',
        products: [PRODUCT_EXAMPLE],
      },
    },
    errors: [merchantNotFound],
    async handler({
      caller: { merchantId },
      params: { merchantId: storeId, categoryCode: category },
      query: { after, ...page },
    }) {
      const range = rangeOf(page)
      const place = { merchantId, storeId, category }
      const { rows, counted, ...found } = await stores.listProducts(place, { ...range, most: MAX_COUNTED }, after)
      return pageOf(wire.toWireProducts(rows, { ...found, category }), range, counted)
    },
  })
}

function getProductRoute(stores: StoreService): Route {
  return route({
    ...WALLET_READ,
    path: '/v1/merchants/products/:productId',
    operationId: 'getProduct',
    summary: 'Read a product',
    description: 'As it is sold now. What is no longer sold is not found, also where a cart still shows it.',
    tag,
    params: wireOf.ProductParams,
    response: wireOf.ProductDetails,
    example: { response: PRODUCT_DETAILS_EXAMPLE },
    errors: [productNotFound],
    handler: async ({ caller: { merchantId }, params: { productId } }) =>
      wire.toWireDetails(await stores.findProduct({ merchantId, productId })),
  })
}
