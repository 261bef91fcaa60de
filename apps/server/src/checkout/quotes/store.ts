import { CHECKOUT_WARNINGS, type CheckoutWarningCode, COUNTRIES, CURRENCIES, SHOP_STATUSES } from '@mintmark/contract'
import { bigint, bytes, columns, json, nullable, oneOf, type RowOf, text, texts, time } from '../../db/row.ts'
import { execute, one } from '../../db/statement.ts'
import { sealOver } from '../../platform/row-seals.ts'

/** A line as it is stored: ids as the shop says them, amounts as the wire shows them. */
export interface StoredLine {
  productId: string
  variantId: string
  title: string
  quantity: number
  unitPrice: string
  total: string
}

const QUOTE = {
  merchantId: text,
  id: text,
  shopId: text,
  shopRef: text,
  shopName: text,
  shopUrl: text,
  shopCountry: oneOf(COUNTRIES),
  currency: oneOf(CURRENCIES),
  itemsMinor: bigint,
  shippingMinor: bigint,
  taxMinor: bigint,
  discountMinor: bigint,
  totalMinor: bigint,
  lines: json<StoredLine[]>(),
  warnings: texts,
  seal: bytes,
  /** The owner whose agent has asked for it; null: the merchant has. */
  ownerId: nullable(text),
  /** The session that was built from it. */
  sessionId: nullable(text),
  createdAt: time,
  expiresAt: time,
}
export type QuoteRow = RowOf<typeof QUOTE>

/** What the shop said, and to whom it was told: all that a purchase is made of. */
export const sealedQuote = sealOver<Omit<QuoteRow, 'seal' | 'warnings' | 'sessionId' | 'createdAt'>>(
  'quotes',
  ({ shopId, shopRef, shopName, shopUrl, shopCountry, currency, expiresAt, ownerId, ...quote }) => {
    const { itemsMinor, shippingMinor, taxMinor, discountMinor, totalMinor } = quote
    // As lists: the database keeps no order of the fields of an object.
    const lines = quote.lines.map(({ productId, variantId, title, quantity, unitPrice, total }) => [
      ...[productId, variantId, title, quantity, unitPrice, total],
    ])
    return [
      ...[shopId, shopRef, shopName, shopUrl, shopCountry],
      ...[currency, itemsMinor, shippingMinor, taxMinor, discountMinor, totalMinor],
      JSON.stringify(lines),
      expiresAt.getTime(),
      ...(ownerId === null ? [] : [ownerId]),
    ]
  },
)

export const insertQuote = execute(
  'quotes.insert',
  `insert into quotes (merchant_id, id, shop_id, shop_ref, shop_name, shop_url, shop_country, currency, items_minor, shipping_minor,
     tax_minor, discount_minor, total_minor, lines, warnings, owner_id, seal, created_at, expires_at)
   values ($merchantId, $id, $shopId, $shopRef, $shopName, $shopUrl, $shopCountry, $currency, $itemsMinor, $shippingMinor,
     $taxMinor, $discountMinor, $totalMinor, $lines::jsonb, $warnings, $ownerId, $seal, $at, $expiresAt)`,
)

/** An agent finds what was asked for its owner, and nothing else; a merchant, who is no owner, all of its own. */
const OF_CALLER =
  `merchant_id = $merchantId and id = $quoteId and ($ownerId::text is null or owner_id = $ownerId)` as const

export const findQuote = one('quotes.find', `select ${columns(QUOTE)} from quotes where ${OF_CALLER}`, QUOTE)

/** The same, and whether anything is bought at its shop. */
export const findForUse = one(
  'quotes.find_for_use',
  `select ${columns(QUOTE)}, (select status from shops where id = shop_id) as shop_status
   from quotes where ${OF_CALLER}`,
  { ...QUOTE, shopStatus: oneOf(SHOP_STATUSES) },
)

/** The next merchant that has unused quotes of before `$before`. Operator's statement. */
export const findMerchantWithOld = one(
  'quotes.find_merchant_with_old',
  // By a list of all merchants behind it: one look at the index for each, up to the first that has any.
  `select merchant_id from quotes
   where merchant_id = any (array(select id from merchants where id > $after)) and session_id is null and id < $before
   order by merchant_id limit 1`,
  { merchantId: text },
)

/**
 * Those of one merchant, at most so many. One that is claimed at this moment stays: the condition is looked at again.
 */
export const deleteUnused = execute(
  'quotes.delete_unused',
  `delete from quotes
   where merchant_id = $merchantId and session_id is null and id = any (array(
     select id from quotes where merchant_id = $merchantId and session_id is null and id < $before order by id limit $limit))`,
)

/** The codes that this version knows: another may have written more. */
export function knownWarnings(codes: readonly string[]): CheckoutWarningCode[] {
  return codes.filter((code): code is CheckoutWarningCode => Object.hasOwn(CHECKOUT_WARNINGS, code))
}
