import type { PaymentTerms } from '@mintmark/contract/wire/surface'
import type { Quote } from '../checkout/quotes/service.ts'
import type { Creation } from '../db/create-once.ts'
import { networkName } from '../network/merchant-name.ts'
import { canonicalJson } from '../platform/canonical-json.ts'
import { amountFromMinor } from '../platform/money.ts'
import { type CreatedSession, newPayment, opened } from './create.ts'
import type { SessionDeps } from './deps.ts'
import { newLaunch } from './launch.ts'
import { EFFECTIVE_MINUTES, type Order, type Purchase } from './purchase.ts'
import { insertQuotedPayment } from './store.ts'

/** A session that a quote describes. */
export interface QuotedRequest {
  quoteId: string
  order: Order
  simulated: boolean
}

/**
 * Builds a session from a quote, which is then used, however the session ends: a shop may count on one purchase a quote. The payee,
 * what is bought and how the total comes about are the quote's. Only what does not change was read before; that no other session
 * has the quote is decided by the statement.
 */
export async function createQuoted(
  deps: SessionDeps,
  merchantId: string,
  { quoteId, order, simulated }: QuotedRequest,
): Promise<Creation<CreatedSession>> {
  const at = deps.clock.now()
  const { amountMinor, currency } = order
  const quote = await deps.quotes.usable({ merchantId, quoteId }, { amountMinor, currency, at })
  const launch = newLaunch()
  const session = newPayment(deps, merchantId, purchaseOf(quote, order), launch, at)
  const grant = { ...session, ...launch, mandateId: null, readAs: 'quoted_payment' } as const
  return {
    name: 'sessions.create_quoted',
    silent: 'unapproved',
    by: async (run) =>
      opened(deps, grant, await run((on) => insertQuotedPayment(on, { ...session, quoteId, simulated }))),
  }
}

export function purchaseOf<Customer>(quote: Quote, order: Order<Customer>): Purchase<Customer> {
  const { shopName: name, shopUrl: url, shopCountry: country, lines } = quote
  return {
    ...order,
    payee: { name, networkName: networkName({ name, url }), url, country, categoryCode: null, category: null },
    products: lines.map(({ title, unitPrice, quantity }) => ({ externalId: null, name: title, unitPrice, quantity })),
    summary: summaryOf(quote),
    effectiveMinutes: EFFECTIVE_MINUTES,
  }
}

function summaryOf({ itemsMinor, shippingMinor, taxMinor, discountMinor }: Quote) {
  return {
    subtotal: amountFromMinor(itemsMinor),
    shipping: amountFromMinor(shippingMinor),
    tax: amountFromMinor(taxMinor),
    discount: amountFromMinor(discountMinor),
  }
}

/** Whether terms that were signed are those of a session that was built from this quote. */
export function isQuoted({ payee, amount, currency, products, summary }: PaymentTerms, quote: Quote): boolean {
  const { shopName: name, shopUrl: url, shopCountry: country, lines } = quote
  const said = {
    payee: { name, url, country },
    amount: amountFromMinor(quote.totalMinor),
    currency: quote.currency,
    products: lines.map(({ title, unitPrice, quantity }) => ({ name: title, unit_price: unitPrice, quantity })),
    summary: summaryOf(quote),
  }
  return canonicalJson({ payee, amount, currency, products, summary }) === canonicalJson(said)
}
