import {
  CatalogPage,
  CatalogProduct,
  CreateQuoteBody,
  ProductParams,
  Quote,
  QuoteParams,
  SearchCatalogBody,
} from '@mintmark/contract/wire/quotes'
import { type Route, route } from '../../http/route.ts'
import { perMerchant, secretKey } from '../../merchants/credential.ts'
import { merchantLookupFailed } from '../../merchants/errors.ts'
import { perShopping } from './credential.ts'
import { merchantUnavailable, outOfStock, productNotFound, quoteNotFound } from './errors.ts'
import { PRODUCT_EXAMPLE, QUOTE_BODY, QUOTE_EXAMPLE, SEARCH_BODY } from './examples.ts'
import type { QuoteService } from './service.ts'
import { fromWireSearch, fromWireWish, searchProblems, toWirePage, toWireProduct, toWireQuote } from './wire.ts'

export function quoteRoutes(quotes: QuoteService): Route[] {
  return [searchRoute(quotes), productRoute(quotes), createRoute(quotes), findRoute(quotes)]
}

const CATALOG = { tag: 'Catalog', auth: [secretKey], limit: perShopping, noStore: true } as const
/** A request that waits for a shop keeps a place: half of the places stay for those that finish something. */
const WAITS_FOR_A_SHOP = { begins: true } as const

function searchRoute(quotes: QuoteService): Route {
  return route({
    ...CATALOG,
    ...WAITS_FOR_A_SHOP,
    method: 'POST',
    path: '/v1/catalog/search',
    operationId: 'searchCatalog',
    summary: 'Search products',
    description:
      'At one merchant, or at all that can be bought from. They are asked at the same time; one that does not answer is left out ' +
      'of the search, and only where none answers it is an error. A page may hold fewer products than `limit`: go on while there ' +
      'is a `next_cursor`.',
    body: SearchCatalogBody,
    optionalBody: true,
    check: searchProblems,
    status: 200,
    response: CatalogPage,
    example: { body: SEARCH_BODY, response: { products: [PRODUCT_EXAMPLE] } },
    errors: [merchantLookupFailed, merchantUnavailable],
    async handler({ caller, body }) {
      return toWirePage(await quotes.search(caller.merchantId, fromWireSearch(body)))
    },
  })
}

function productRoute(quotes: QuoteService): Route {
  return route({
    ...CATALOG,
    ...WAITS_FOR_A_SHOP,
    method: 'GET',
    path: '/v1/catalog/products/:productId',
    operationId: 'getCatalogProduct',
    summary: 'Read a product',
    description: 'As its merchant shows it now.',
    params: ProductParams,
    status: 200,
    response: CatalogProduct,
    example: { response: PRODUCT_EXAMPLE },
    errors: [merchantLookupFailed, productNotFound, merchantUnavailable],
    async handler({ caller, params }) {
      return toWireProduct(await quotes.product(caller.merchantId, params.productId))
    },
  })
}

function createRoute(quotes: QuoteService): Route {
  return route({
    ...CATALOG,
    ...WAITS_FOR_A_SHOP,
    tag: 'Quotes',
    method: 'POST',
    path: '/v1/quotes',
    operationId: 'createQuote',
    summary: 'Ask for a quote',
    description:
      'What the merchant wants for these items, sent to this address. It is good for 15 minutes and for one session ' +
      '(`purchase_context: { quote: true, quote_id }`), and holds no stock. Address and email go to the merchant; this service ' +
      'does not keep them.',
    body: CreateQuoteBody,
    status: 201,
    response: Quote,
    example: { body: QUOTE_BODY, response: QUOTE_EXAMPLE },
    errors: [merchantLookupFailed, outOfStock, merchantUnavailable],
    async handler({ caller, body }) {
      return toWireQuote(await quotes.create({ merchantId: caller.merchantId }, fromWireWish(body)))
    },
  })
}

function findRoute(quotes: QuoteService): Route {
  return route({
    ...CATALOG,
    tag: 'Quotes',
    limit: perMerchant,
    method: 'GET',
    path: '/v1/quotes/:quoteId',
    operationId: 'getQuote',
    summary: 'Read a quote',
    description: 'As it was made, also when it was used or has expired. One that nobody used goes a day after that.',
    params: QuoteParams,
    status: 200,
    response: Quote,
    example: { response: QUOTE_EXAMPLE },
    errors: [quoteNotFound],
    async handler({ caller, params }) {
      return toWireQuote(await quotes.get({ merchantId: caller.merchantId, ...params }))
    },
  })
}
