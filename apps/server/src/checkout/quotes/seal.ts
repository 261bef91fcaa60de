import type { SealedRow } from '../../platform/row-seals.ts'
import type { QuoteRow } from './store.ts'

/** What the shop said, and to whom it was told: all that a purchase is made of. */
export function sealedQuote(quote: Omit<QuoteRow, 'seal' | 'warnings' | 'sessionId' | 'createdAt'>): SealedRow {
  const { merchantId, id, shopId, shopRef, shopName, shopUrl, shopCountry, currency, expiresAt, ownerId } = quote
  const { itemsMinor, shippingMinor, taxMinor, discountMinor, totalMinor } = quote
  // As lists: the database keeps no order of the fields of an object.
  const lines = quote.lines.map(({ productId, variantId, title, quantity, unitPrice, total }) => [
    ...[productId, variantId, title, quantity, unitPrice, total],
  ])
  const shop = [shopId, shopRef, shopName, shopUrl, shopCountry]
  const amounts = [currency, itemsMinor, shippingMinor, taxMinor, discountMinor, totalMinor]
  const parts = [
    ...shop,
    ...amounts,
    JSON.stringify(lines),
    expiresAt.getTime(),
    ...(ownerId === null ? [] : [ownerId]),
  ]
  return { table: 'quotes', merchantId, id, parts }
}
