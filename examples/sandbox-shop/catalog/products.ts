import { ROWS, type Row } from './assortment.ts'
import { FAILURES, type Failure } from './failures.ts'
import type { Shape } from './pictures.ts'

export interface Variant {
  id: string
  title: string
  /** In hundredths. */
  price: bigint
  grams: number
  /** How many there are when the shop opens for the first time. */
  stock: number
}

export interface Product {
  id: string
  title: string
  category: string
  description: string
  shape: Shape
  hue: number
  variants: Variant[]
  failure?: Failure
}

const PLENTY = 5_000

/** `linen-shirt` in `Navy, M` is `linen-shirt.navy-m`. */
function variants(
  productId: string,
  titles: readonly string[],
  price: bigint,
  grams: number,
  dearer: bigint = 0n,
): Variant[] {
  return titles.map((title, index) => ({
    id: `${productId}.${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`,
    title,
    price: price + dearer * BigInt(index),
    grams,
    stock: PLENTY,
  }))
}

function product([id, title, category, shape, hue, price, grams, titles, description]: Row): Product {
  // A larger one of a kind costs more; a colour does not.
  const bySize = titles.some((name) => /^(?:Small|Three cups|A6|18 cm|500 ml)$/.test(name))
  return {
    id,
    title,
    category,
    shape,
    hue,
    description,
    variants: variants(id, titles, price, grams, bySize ? price / 4n : 0n),
  }
}

/** There is one of it, and then none. */
const LAST_PIECE: Product = {
  ...product([
    'last-piece',
    'Test product: the last piece',
    'Test products',
    'box',
    0,
    25_00n,
    300,
    ['One size'],
    'There is exactly one of it.',
  ]),
}
for (const variant of LAST_PIECE.variants) variant.stock = 1

const FAILING: readonly Product[] = (Object.keys(FAILURES) as Failure[]).map((failure) => ({
  ...product([
    `test-${failure.replaceAll('_', '-')}`,
    `Test product: ${failure.replaceAll('_', ' ')}`,
    'Test products',
    'box',
    0,
    20_00n,
    300,
    ['One size'],
    FAILURES[failure].replaceAll('`', ''),
  ]),
  failure,
}))

export const PRODUCTS: readonly Product[] = [...ROWS.map(product), LAST_PIECE, ...FAILING]

const BY_ID = new Map(PRODUCTS.map((one) => [one.id, one]))
const BY_VARIANT = new Map(
  PRODUCTS.flatMap((one) => one.variants.map((variant) => [variant.id, { product: one, variant }] as const)),
)

export const findProduct = (id: string): Product | undefined => BY_ID.get(id)
export const findVariant = (id: string): { product: Product; variant: Variant } | undefined => BY_VARIANT.get(id)

interface Page {
  products: Product[]
  nextCursor: string | null
}

/** Products that have every word of the query in title, category or description. Undefined: no such cursor. */
export function searchProducts(search: { query: string; limit: number; cursor: string | null }): Page | undefined {
  const words = search.query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const from = search.cursor === null ? 0 : PRODUCTS.findIndex(({ id }) => id === readCursor(search.cursor ?? '')) + 1
  if (search.cursor !== null && from === 0) return undefined
  const found = PRODUCTS.slice(from).filter((one) => hasEvery(one, words))
  const products = found.slice(0, search.limit)
  const last = products.at(-1)
  return { products, nextCursor: found.length > products.length && last !== undefined ? writeCursor(last.id) : null }
}

function hasEvery({ title, category, description }: Product, words: string[]): boolean {
  const text = `${title} ${category} ${description}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

const writeCursor = (id: string): string => Buffer.from(`after ${id}`).toString('base64url')
const readCursor = (cursor: string): string =>
  Buffer.from(cursor, 'base64url')
    .toString()
    .replace(/^after /, '')
