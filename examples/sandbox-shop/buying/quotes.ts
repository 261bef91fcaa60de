import { findVariant, type Product, type Variant } from '../catalog/products.ts'
import type { Address } from '../pricing/address.ts'
import { type Totals, totalsOf, type Warning, warningsOf } from '../pricing/totals.ts'
import type { Database } from './database.ts'
import { Refused } from './refused.ts'
import type { Stock } from './stock.ts'

export interface QuoteRequest {
  items: { variantId: string; quantity: number }[]
  address: Address | null
  email: string | null
  isExpress?: true
  /** The buyer has seen what the product whose price changes costs now. */
  isLater?: true
}

export interface Line {
  productId: string
  variantId: string
  title: string
  quantity: number
  unitPrice: bigint
}

export interface Priced {
  lines: Line[]
  totals: Totals
}

export interface Quote extends Totals {
  ref: string
  lines: Line[]
  warnings: Warning[]
  expiresAt: Date
}

export interface QuoteDeps {
  db: Database
  stock: Stock
  now: () => Date
  /** Longer than an approval may take after the quote was made. */
  quoteSeconds: number
}

export function createQuotes({ db, stock, now, quoteSeconds }: QuoteDeps) {
  const select = db.prepare('select * from quotes where ref = ?')
  const insert = db.prepare(`insert into quotes
    (ref, request, lines, address, warnings, items, shipping, tax, discount, total, expires_at) values
    ($ref, $request, $lines, $address, $warnings, $items, $shipping, $tax, $discount, $total, $expiresAt)`)

  /** A price for a basket, good for a while. The same reference and request again returns the first quote. */
  function quote(ref: string, request: QuoteRequest): Quote {
    const text = JSON.stringify(request)
    return db.transaction(() => {
      const known = select.get(ref)
      if (known !== undefined) {
        if (known.request !== text) throw new Refused('conflict')
        return fromRow(known)
      }
      const { lines, totals } = price(request)
      if (shortOf(request.items) !== undefined) throw new Refused('out_of_stock')
      const expiresAt = now().getTime() + quoteSeconds * 1000
      const address = request.address === null ? null : JSON.stringify(request.address)
      const warnings = JSON.stringify(warningsOf(request.address))
      insert.run({ ref, request: text, lines: writeLines(lines), address, warnings, ...totals, expiresAt })
      return fromRow(select.get(ref) ?? {})
    })
  }

  /** What it costs now; whether there is enough of it is another question. */
  function price({ items, address, isExpress, isLater }: QuoteRequest): Priced {
    const lines = items.map((item) => ({ ...item, ...variantOf(item.variantId, isLater === true) }))
    const totals = totalsOf(lines, address, { isExpress: isExpress === true })
    if (totals === 'address_refused') throw new Refused(totals)
    return { totals, lines: lines.map(({ grams: _, ...line }) => line) }
  }

  /** The first variant that there is not enough of. It may be in several lines of a basket. */
  function shortOf(items: QuoteRequest['items']): string | undefined {
    const sums = new Map<string, number>()
    for (const { variantId, quantity } of items) sums.set(variantId, (sums.get(variantId) ?? 0) + quantity)
    return [...sums].find(([variantId, quantity]) => stock.available(variantId) < quantity)?.[0]
  }

  return {
    quote,
    price,
    shortOf,
    find: (ref: string): Quote | undefined => {
      const row = select.get(ref)
      return row === undefined ? undefined : fromRow(row)
    },
  }
}

export type Quotes = ReturnType<typeof createQuotes>

function variantOf(variantId: string, isLater: boolean) {
  const found = findVariant(variantId)
  if (found === undefined) throw new Refused('not_found', `The shop has no variant ${JSON.stringify(variantId)}.`)
  const { product, variant } = found
  const title = `${product.title} (${variant.title})`
  return {
    productId: product.id,
    title,
    unitPrice: isLater ? laterPrice(product, variant) : variant.price,
    grams: variant.grams,
  }
}

/** A tenth more, of the product whose price changes. */
function laterPrice({ failure }: Product, { price }: Variant): bigint {
  return failure === 'price_changed' ? price + price / 10n : price
}

function writeLines(lines: readonly Line[]): string {
  return JSON.stringify(lines.map((line) => ({ ...line, unitPrice: String(line.unitPrice) })))
}

function readLines(text: unknown): Line[] {
  const lines = JSON.parse(String(text)) as (Omit<Line, 'unitPrice'> & { unitPrice: string })[]
  return lines.map((line) => ({ ...line, unitPrice: BigInt(line.unitPrice) }))
}

function fromRow(row: Record<string, unknown>): Quote {
  const { items, shipping, tax, discount, total } = row as unknown as Totals
  return {
    ref: String(row.ref),
    lines: readLines(row.lines),
    warnings: JSON.parse(String(row.warnings)) as Warning[],
    expiresAt: new Date(Number(row.expires_at)),
    ...{ items, shipping, tax, discount, total },
  }
}
