import { single } from '../../db/command.ts'
import { checkActive } from '../../merchants/service.ts'
import { addSeconds } from '../../platform/clock.ts'
import { type ErrorDetails, fieldErrors } from '../../platform/errors.ts'
import { newOrderedId } from '../../platform/ids.ts'
import { amountFromMinor } from '../../platform/money.ts'
import type { CheckoutAnswer, QuoteLine, QuoteRequest, ShippingAddress, ShopQuote } from '../port.ts'
import type { Shop } from '../shops/service.ts'
import { getActiveShop } from './catalog.ts'
import type { QuoteDeps } from './deps.ts'
import { noOffer, outOfStock, shopNotReached } from './errors.ts'
import { readName } from './names.ts'
import { areNameable } from './rules.ts'
import { sealedQuote } from './seal.ts'
import { insertQuote, type QuoteRow, type StoredLine } from './store.ts'

/** What is to be bought, and where it is to be sent. */
export interface QuoteWish {
  shopId: string
  /** Each with the name that we gave the variant. */
  items: { variant: string; quantity: number }[]
  shippingAddress: ShippingAddress | null
  email: string | null
}

/** How long a session can be built from a quote. */
export const QUOTE_SECONDS = 15 * 60

/**
 * Asks the shop, then stores what it says. A crash in between leaves nothing that matters: no caller was told of the quote, and the shop
 * holds nothing for it. Address and email go to the shop and nowhere else.
 */
export async function create(
  deps: QuoteDeps,
  { merchantId, ownerId = null }: { merchantId: string; ownerId?: string | null },
  wish: QuoteWish,
): Promise<QuoteRow> {
  // No shop hears of a suspended account: no session could be built from what the shop says.
  await checkActive(deps.pool, merchantId)
  const shop = await getActiveShop(deps, wish.shopId)
  const items = itemsAt(shop, wish.items)
  const quoteId = newOrderedId('quote', deps.clock.now())
  const { shippingAddress, email } = wish
  const request: QuoteRequest = { quoteId, items, shippingAddress, email }
  const offer = offerOf(await deps.shops.quote(shop, request), shop)
  return store(deps, { merchantId, id: quoteId, ownerId }, shop, offer)
}

/** The shop's own names of what is wanted. */
function itemsAt(shop: Shop, items: QuoteWish['items']): QuoteRequest['items'] {
  const problems: ErrorDetails = {}
  const seen = new Set<string>()
  const wanted = items.flatMap(({ variant, quantity }, index) => {
    const named = readName('variant', variant)
    const path = `items[${index}].variant_id`
    if (seen.has(variant)) problems[path] = 'is in another item already'
    if (named?.shopId !== shop.id) problems[path] = 'must be a variant of this merchant'
    seen.add(variant)
    return named === undefined ? [] : [{ variantId: named.foreignId, quantity }]
  })
  if (Object.keys(problems).length > 0) throw fieldErrors(problems)
  return wanted
}

function offerOf(answer: CheckoutAnswer<ShopQuote>, shop: Shop): ShopQuote {
  if (answer.outcome === 'ok' && areNameable(answer.value.lines, shop.id)) return answer.value
  if (answer.outcome !== 'refused') throw shopNotReached()
  switch (answer.reason) {
    case 'not_found':
      throw fieldErrors({ items: 'must be variants that the merchant has' })
    case 'out_of_stock':
      throw outOfStock()
    case 'address_refused':
      throw fieldErrors({ shipping_address: 'must be one that the merchant understands and sends to' })
    default:
      throw noOffer()
  }
}

async function store(
  deps: QuoteDeps,
  ref: Pick<QuoteRow, 'merchantId' | 'id' | 'ownerId'>,
  shop: Shop,
  { lines, ...offer }: ShopQuote,
): Promise<QuoteRow> {
  const { currency, shopRef, itemsMinor, shippingMinor, taxMinor, discountMinor, totalMinor, warnings } = offer
  const amounts = { currency, itemsMinor, shippingMinor, taxMinor, discountMinor, totalMinor }
  const place = { shopId: shop.id, shopRef, shopName: shop.name, shopUrl: shop.url, shopCountry: shop.country }
  return single(deps, { name: 'quotes.create', silent: 'unapproved' }, async ({ on, at }) => {
    const times = { createdAt: at, expiresAt: addSeconds(at, QUOTE_SECONDS) }
    const said = { ...ref, ...place, ...amounts, lines: lines.map(toStoredLine) }
    const seal = deps.seals.seal(sealedQuote({ ...said, expiresAt: times.expiresAt }))
    const row = { ...said, warnings: [...new Set(warnings)], seal }
    await insertQuote(on, { ...row, at, expiresAt: times.expiresAt })
    return { ...row, ...times, sessionId: null }
  })
}

function toStoredLine({ unitPriceMinor, totalMinor, ...line }: QuoteLine): StoredLine {
  return { ...line, unitPrice: amountFromMinor(unitPriceMinor), total: amountFromMinor(totalMinor) }
}
