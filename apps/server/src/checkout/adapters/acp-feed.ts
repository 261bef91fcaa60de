import type { Currency } from '@mintmark/contract'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { MAX_AMOUNT_MINOR } from '../../platform/money.ts'
import type { CatalogPage, CatalogProduct, CatalogVariant, CheckoutAnswer, SearchRequest } from '../port.ts'
import { writableMinor } from './acp-amounts.ts'
import { acpHeaders, readError, reasonOf } from './acp-wire.ts'
import { ok, refused } from './answers.ts'
import type { ShopConnection } from './connection.ts'
import {
  cleanText,
  cleanTitle,
  FOREIGN_ID_PATTERN,
  imageUrl,
  isCurrency,
  MAX_LENGTHS,
  optionalCleanText,
} from './foreign.ts'
import { reader } from './reader.ts'

/**
 * The protocol's checkout has no catalog: agents search what shops publish to them. A shop publishes the product set of its feed as
 * one document, and it is searched here.
 */
const FEED_PATH = ['product_feed'] as const

const Id = Type.String({ pattern: FOREIGN_ID_PATTERN })
const Description = Type.Object({ plain: Type.Optional(Type.String()), markdown: Type.Optional(Type.String()) })
const Media = Type.Array(Type.Object({ type: Type.String(), url: Type.String() }))
const Variant = Type.Object({
  id: Id,
  title: Type.String(),
  price: Type.Optional(Type.Object({ amount: Type.Integer({ minimum: 0 }), currency: Type.String() })),
  availability: Type.Optional(Type.Object({ available: Type.Optional(Type.Boolean()) })),
  categories: Type.Optional(Type.Array(Type.Object({ value: Type.String() }))),
  media: Type.Optional(Media),
})
const Product = Type.Object({
  id: Id,
  title: Type.Optional(Type.String()),
  description: Type.Optional(Description),
  media: Type.Optional(Media),
  variants: Type.Array(Variant),
})
const readFeed = reader(Type.Object({ products: Type.Array(Type.Unknown()) }))
const compiledProduct = Compile(Product)

export async function search(
  shop: ShopConnection,
  { query, limit, cursor }: SearchRequest,
): Promise<CheckoutAnswer<CatalogPage>> {
  const feed = await readProducts(shop)
  if (feed.outcome !== 'ok') return feed
  const words = (query ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const found = feed.value.filter((product) => hasAll(product, words))
  const from = cursor === null ? 0 : placeOf(cursor)
  // A cursor that we did not give, or of a feed that is shorter now.
  if (from === undefined) return refused('not_found')
  const next = from + limit
  const products = found.slice(from, next).map((listed) => toProduct(listed, shop))
  return ok({ products, nextCursor: next < found.length ? String(next) : null })
}

export async function product(
  shop: ShopConnection,
  { productId }: { productId: string },
): Promise<CheckoutAnswer<CatalogProduct>> {
  const feed = await readProducts(shop)
  if (feed.outcome !== 'ok') return feed
  const found = feed.value.find((each) => each.productId === productId)
  return found === undefined ? refused('not_found') : ok(toProduct(found, shop))
}

/** A product of the feed, with its picture as the feed says it. */
interface ListedProduct extends Omit<CatalogProduct, 'imageUrl'> {
  picture: string | undefined
}

/** Done for the products of one page, not for thousands of a feed: to judge a URL is most of the work. */
function toProduct({ picture, ...listed }: ListedProduct, { policy, baseUrl }: ShopConnection): CatalogProduct {
  return { ...listed, imageUrl: imageUrl(picture, policy, baseUrl) }
}

async function readProducts(shop: ShopConnection): Promise<CheckoutAnswer<ListedProduct[]>> {
  const { isOk, body } = await shop.ask({ method: 'GET', path: FEED_PATH, headers: acpHeaders() })
  if (!isOk) return refused(reasonOf(readError(body).code))
  return ok(readFeed(body).products.flatMap(listedOf))
}

/** None: it is not of the feed's shape, or nothing of it has a price in a currency that we have. One such hides no other. */
function listedOf(product: unknown): ListedProduct[] {
  if (!compiledProduct.Check(product)) return []
  const currency = product.variants.map(({ price }) => price?.currency).find(isCurrency)
  if (currency === undefined) return []
  const variants = product.variants.flatMap((variant) => variantOf(variant, currency))
  const [first] = product.variants
  const title = cleanTitle(product.title, first?.title)
  if (title === '' || variants.length === 0) return []
  const picture = [...(product.media ?? []), ...(first?.media ?? [])].find(({ type }) => type === 'image')
  return [
    {
      productId: product.id,
      title,
      description: cleanText(
        product.description?.plain ?? product.description?.markdown ?? '',
        MAX_LENGTHS.description,
      ),
      picture: picture?.url,
      category: optionalCleanText(first?.categories?.[0]?.value, MAX_LENGTHS.category),
      priceMinor: variants.map(({ priceMinor }) => priceMinor).reduce((least, each) => (each < least ? each : least)),
      currency,
      // The feed says of variants whether there are any.
      inventory: null,
      variants,
    },
  ]
}

/** A product has one currency here: its variants in others are left out, and so are those without a price that we can write. */
function variantOf({ id, title, price, availability }: Static<typeof Variant>, currency: Currency): CatalogVariant[] {
  const name = cleanTitle(title)
  const priceMinor = price?.currency === currency ? priceOf(price.amount, currency) : undefined
  if (priceMinor === undefined || name === '') return []
  return [{ variantId: id, title: name, priceMinor, available: availability?.available ?? true }]
}

/** Undefined: an amount that we cannot write. It would make the whole catalog unreadable. */
function priceOf(amount: number, currency: Currency): bigint | undefined {
  const minor = writableMinor(amount, currency)
  return minor !== undefined && minor <= MAX_AMOUNT_MINOR ? minor : undefined
}

function hasAll({ title, description, category }: ListedProduct, words: readonly string[]): boolean {
  const text = `${title} ${description} ${category ?? ''}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** A cursor is a place in the feed. */
function placeOf(cursor: string): number | undefined {
  return /^[1-9]\d{0,6}$/.test(cursor) ? Number(cursor) : undefined
}
