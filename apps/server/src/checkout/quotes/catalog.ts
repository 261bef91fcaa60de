import { checkActive } from '../../merchants/service.ts'
import { fieldErrors } from '../../platform/errors.ts'
import type { CatalogProduct, CheckoutAnswer } from '../port.ts'
import type { Shop } from '../shops/service.ts'
import { decodeCursor, encodeCursor, MAX_FOREIGN_LENGTH, type Place, type SearchScope } from './cursor.ts'
import type { QuoteDeps } from './deps.ts'
import { productNotFound, shopNotReached } from './errors.ts'
import { readName } from './names.ts'
import { isNameable } from './rules.ts'

/** A product, and whose it is. */
export interface FoundProduct {
  shop: Shop
  product: CatalogProduct
}

export interface CatalogSearch extends SearchScope {
  limit: number
  cursor: string | null
}

/** Shops that one page asks, all at the same time. The others are asked for the next pages. */
const MAX_ASKED = 20

type Deps = Pick<QuoteDeps, 'shops' | 'pool'>

/**
 * One page of a search, at one shop or at all. Each shop that is asked has an equal share of the page, and those with more go to the
 * end of the line. One that gives no answer is left out of the search from there on; only when none of a page answers there is none.
 * No shop hears of a suspended account.
 */
export async function search(
  deps: Deps,
  merchantId: string,
  { limit, cursor, ...scope }: CatalogSearch,
): Promise<{ found: FoundProduct[]; nextCursor: string | null }> {
  await checkActive(deps.pool, merchantId)
  const line = await lineOf(deps, scope, cursor)
  const asked = line.slice(0, Math.min(limit, MAX_ASKED))
  if (asked.length === 0) return { found: [], nextCursor: null }
  const share = Math.floor(limit / asked.length)
  const pages = await Promise.all(asked.map((place) => askPage(deps, scope, place, share)))
  if (pages.every(({ isAnswered }) => !isAnswered)) throw shopNotReached()
  const more = [...line.slice(asked.length), ...pages.flatMap(({ next }) => next)]
  return {
    found: inTurn(pages.map(({ found }) => found)),
    nextCursor: more.length === 0 ? null : encodeCursor(scope, more.map(toPlace)),
  }
}

/** A shop in the line of those to ask. */
interface Waiting {
  shop: Shop
  cursor: string | null
}

const toPlace = ({ shop, cursor }: Waiting): Place => ({ shopId: shop.id, cursor })

async function lineOf(deps: Deps, scope: SearchScope, cursor: string | null): Promise<Waiting[]> {
  const shops = scope.shopId === null ? await deps.shops.listActive() : [await getActiveShop(deps, scope.shopId)]
  if (cursor === null) return heard(deps, scope, shops).map((shop) => ({ shop, cursor: null }))
  const places = decodeCursor(scope, cursor)
  if (places === undefined) throw fieldErrors({ cursor: 'must be the next_cursor of a page of the same search' })
  return places.flatMap(({ shopId, cursor }) => {
    const shop = shops.find(({ id }) => id === shopId)
    return shop === undefined ? [] : [{ shop, cursor }]
  })
}

/** A search of all shops does not wait for those that are known to be silent. */
function heard({ shops: { isSilent } }: Deps, { shopId }: SearchScope, shops: Shop[]): Shop[] {
  if (shopId !== null || shops.every((shop) => isSilent(shop))) return shops
  return shops.filter((shop) => !isSilent(shop))
}

interface AskedPage {
  isAnswered: boolean
  found: FoundProduct[]
  next: Waiting[]
}

async function askPage(
  deps: Deps,
  { query }: SearchScope,
  { shop, cursor }: Waiting,
  limit: number,
): Promise<AskedPage> {
  const answer = await deps.shops.search(shop, { query, limit, cursor })
  // It answers, and has no such place: what it sells has become less, or the caller has made the cursor up.
  if (answer.outcome === 'refused' && cursor !== null) return { isAnswered: true, found: [], next: [] }
  if (answer.outcome !== 'ok') return { isAnswered: false, found: [], next: [] }
  const { products, nextCursor } = answer.value
  const named = products.slice(0, limit).filter((product) => isNameable(product, shop.id))
  const isFurther = nextCursor !== null && nextCursor !== cursor && nextCursor.length <= MAX_FOREIGN_LENGTH
  return {
    isAnswered: true,
    found: named.map((product) => ({ shop, product })),
    next: isFurther ? [{ shop, cursor: nextCursor }] : [],
  }
}

/** The first of each, then the second of each: no shop stands before all others. */
function inTurn<T>(lists: readonly T[][]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, place) => lists.flatMap((list) => list.slice(place, place + 1))).flat()
}

/** One product, as its shop shows it now. */
export async function product(deps: Deps, merchantId: string, name: string): Promise<FoundProduct> {
  await checkActive(deps.pool, merchantId)
  const named = readName('product', name)
  const shop = named && (await deps.shops.find(named.shopId))
  if (named === undefined || shop === undefined) throw productNotFound()
  if (shop.status !== 'active') throw shopNotReached()
  const { foreignId: productId } = named
  const answer = await deps.shops.product(shop, { productId })
  return { shop, product: productOf(answer, shop.id) }
}

function productOf(answer: CheckoutAnswer<CatalogProduct>, shopId: string): CatalogProduct {
  if (answer.outcome === 'refused' && answer.reason === 'not_found') throw productNotFound()
  if (answer.outcome !== 'ok') throw shopNotReached()
  if (!isNameable(answer.value, shopId)) throw shopNotReached()
  return answer.value
}

/** The shop that a request names as its `merchant`. */
export async function getActiveShop({ shops }: Pick<Deps, 'shops'>, shopId: string): Promise<Shop> {
  const shop = await shops.find(shopId)
  if (shop === undefined) throw fieldErrors({ merchant: 'must be the id of a merchant that products are found at' })
  if (shop.status !== 'active') throw shopNotReached()
  return shop
}
