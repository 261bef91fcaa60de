import type { TestMerchant, TestService } from '../../../../test/service.ts'
import { secret } from '../../../platform/secret.ts'
import type { CatalogProduct, CheckoutAnswer, MerchantCheckout, QuoteRequest, ShopQuote } from '../../port.ts'
import type { CreateCheckout, Shop } from '../../shops/service.ts'
import { nameOf } from '../names.ts'

/** A shop that says what a test wants it to say. It sells nothing. */
export interface ScriptedShop {
  products: CatalogProduct[]
  /** In place of the answer, in every verb; null: it answers. */
  instead: (() => Promise<CheckoutAnswer<never>>) | null
  /** What it makes of a request for a quote. */
  quote(request: QuoteRequest): CheckoutAnswer<ShopQuote> | Promise<CheckoutAnswer<ShopQuote>>
  /** How often each verb was asked. */
  asked: Record<'search' | 'product' | 'quote', number>
  /** The last request for a quote. */
  lastQuote: QuoteRequest | null
}

export const mug = (id = 'mug', title = 'Stoneware mug'): CatalogProduct => ({
  productId: id,
  title,
  description: 'Holds 300 ml.',
  imageUrl: 'https://shop.example/mug.png',
  category: 'kitchen',
  priceMinor: 1_800n,
  currency: 'USD',
  inventory: 12,
  variants: [
    { variantId: `${id}-blue`, title: 'Blue', priceMinor: 1_800n, available: true },
    { variantId: `${id}-gold`, title: 'Gold', priceMinor: 2_400n, available: false },
  ],
})

/** What every scripted shop wants to be shown. */
export const SHOP_KEY = 'key-of-a-scripted-shop'

/** Shops by where they are asked. */
export function scriptedShops() {
  const shops = new Map<string, ScriptedShop>()
  const createCheckout: CreateCheckout = (_, { baseUrl }) => {
    const shop = shops.get(baseUrl)
    if (shop === undefined) throw new Error(`There is no scripted shop at ${baseUrl}.`)
    return checkoutOf(shop)
  }
  /** Adds a shop to a service. */
  async function add(service: TestService, changes: { name?: string; currency?: 'USD' | 'JPY' } = {}) {
    const { name = 'Sandbox Shop' } = changes
    const baseUrl = `https://shop-${shops.size}.example/api`
    const script: ScriptedShop = {
      products: [mug()],
      instead: null,
      quote: (request) => ({ outcome: 'ok', value: offerOf(request) }),
      asked: { search: 0, product: 0, quote: 0 },
      lastQuote: null,
    }
    shops.set(baseUrl, script)
    const settings = { name, url: 'https://shop.example', country: 'US', adapter: 'native', baseUrl } as const
    const shop: Shop = await service.app.shops.add(settings, secret(SHOP_KEY))
    return { ...shop, script }
  }
  return { createCheckout, add }
}
export type AddedShop = Awaited<ReturnType<ReturnType<typeof scriptedShops>['add']>>

/** 18.00 each, 5.00 to ship, 2.25 in taxes. */
export function offerOf({ quoteId, items }: QuoteRequest, changes: Partial<ShopQuote> = {}): ShopQuote {
  const lines = items.map(({ variantId, quantity }) => ({
    productId: variantId.split('-')[0] ?? '',
    variantId,
    title: 'Stoneware mug, blue',
    quantity,
    unitPriceMinor: 1_800n,
    totalMinor: 1_800n * BigInt(quantity),
  }))
  const itemsMinor = lines.reduce((sum, line) => sum + line.totalMinor, 0n)
  const amounts = { itemsMinor, shippingMinor: 500n, taxMinor: 225n, discountMinor: 0n, totalMinor: itemsMinor + 725n }
  return { shopRef: quoteId, currency: 'USD', lines, ...amounts, warnings: [], ...changes }
}

const NOT_FOUND = { outcome: 'refused', reason: 'not_found' } as const
const NOT_BOUGHT = () => Promise.reject(new Error('Nothing is bought at a scripted shop.'))

function checkoutOf(shop: ScriptedShop): MerchantCheckout {
  return {
    async search({ query, limit, cursor }) {
      shop.asked.search += 1
      if (shop.instead !== null) return shop.instead()
      const found = shop.products.filter(({ title }) => title.toLowerCase().includes((query ?? '').toLowerCase()))
      const from = Number(cursor ?? 0)
      const nextCursor = from + limit < found.length ? String(from + limit) : null
      return { outcome: 'ok', value: { products: found.slice(from, from + limit), nextCursor } }
    },
    async product({ productId }) {
      shop.asked.product += 1
      if (shop.instead !== null) return shop.instead()
      const value = shop.products.find((product) => product.productId === productId)
      return value === undefined ? NOT_FOUND : { outcome: 'ok', value }
    },
    async quote(request) {
      shop.asked.quote += 1
      shop.lastQuote = request
      return shop.instead === null ? shop.quote(request) : shop.instead()
    },
    prepare: NOT_BOUGHT,
    pay: NOT_BOUGHT,
    inquire: NOT_BOUGHT,
    release: NOT_BOUGHT,
  }
}

/** The name of a variant on the wire. */
export function variantOf({ id: shopId }: Pick<Shop, 'id'>, foreignId = 'mug-blue'): string {
  const name = nameOf('variant', { shopId, foreignId })
  if (name === undefined) throw new Error(`${foreignId} has no name.`)
  return name
}

/** The body of a request for a quote of two blue mugs. */
export const quoteBody = (shop: Pick<Shop, 'id'>, changes: Record<string, unknown> = {}) => ({
  merchant: shop.id,
  items: [{ variant_id: variantOf(shop), quantity: 2 }],
  ...changes,
})

/** A quote of two blue mugs: 43.25 USD. */
export async function quoted(merchant: TestMerchant, shop: Pick<Shop, 'id'>, changes: Record<string, unknown> = {}) {
  const { status, body } = await merchant.post('/v1/quotes', quoteBody(shop, changes))
  if (status !== 201) throw new Error(`No quote: ${JSON.stringify(body)}`)
  return body
}

/** What a session that is built from a quote says of it. */
export const fromQuote = (quote: { quote_id: string; total_amount: string; currency: string }) => ({
  purchase_context: { quote: true, quote_id: quote.quote_id },
  total_amount: quote.total_amount,
  currency: quote.currency,
})
