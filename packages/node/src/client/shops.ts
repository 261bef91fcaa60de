import type { CreateQuoteRequest, SearchCatalogRequest } from '../api-types.ts'
import type { Call, CallOptions } from './call.ts'
import { everyItem } from './lists.ts'

export interface Catalog extends ReturnType<typeof catalogOf> {}

export const catalogOf = (call: Call) => ({
  /** One page; `next_cursor` is there when more follows. */
  search: (search: SearchCatalogRequest = {}, options?: CallOptions) =>
    call('searchCatalog', { body: search }, options),
  /** All that is found, page by page as it is asked for. */
  searchAll: (search: Omit<SearchCatalogRequest, 'cursor'> = {}, options?: CallOptions) =>
    everyItem(
      (cursor) => call('searchCatalog', { body: { ...search, cursor } }, options),
      ({ products }) => products,
    ),
  get: (productId: string, options?: CallOptions) => call('getCatalogProduct', { params: { productId } }, options),
})

export interface Quotes extends ReturnType<typeof quotesOf> {}

export const quotesOf = (call: Call) => ({
  create: (quote: CreateQuoteRequest, options?: CallOptions) => call('createQuote', { body: quote }, options),
  get: (quoteId: string, options?: CallOptions) => call('getQuote', { params: { quoteId } }, options),
})
