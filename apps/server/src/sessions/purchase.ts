import { type ErrorDetails, fieldErrors } from '../platform/errors.ts'
import { amountProblem } from '../platform/money.ts'
import type { CreateSessionBody, CustomPurchase } from './wire.ts'

/** The two ways to say what is bought, and where in the body it was said (for error paths). */
export type Purchase = { mode: 'quote'; quoteId: string } | { mode: 'custom'; custom: CustomPurchase; path: string }

/** One shape of the three accepted ones; exactly one mode. */
export function normalizePurchase(context: CreateSessionBody['purchase_context']): Purchase {
  if (Array.isArray(context)) return customPurchase(context[0], 'purchase_context[0]')
  const quoteMode = context.quote === true
  if (quoteMode && context.custom !== undefined) {
    throw fieldErrors({ 'purchase_context.custom': 'must be absent when quote is true: send exactly one mode' })
  }
  if (!quoteMode && context.quote_id !== undefined) {
    throw fieldErrors({ 'purchase_context.quote_id': 'needs quote: true: send exactly one mode' })
  }
  if (quoteMode) {
    if (context.quote_id === undefined)
      throw fieldErrors({ 'purchase_context.quote_id': 'is required when quote is true' })
    return { mode: 'quote', quoteId: context.quote_id }
  }
  if (Array.isArray(context.custom)) return customPurchase(context.custom[0], 'purchase_context.custom[0]')
  return customPurchase(context.custom, 'purchase_context.custom')
}

function customPurchase(custom: CustomPurchase | undefined, path: string): Purchase {
  if (custom === undefined) throw fieldErrors({ [path]: 'is required unless quote is true' })
  return { mode: 'custom', custom, path }
}

/** What is wrong with the amounts, which need the currency, and with the merchant's name. Empty: nothing. */
export function purchaseProblems(purchase: Purchase, totalAmount: string, currency: string): ErrorDetails {
  const details: ErrorDetails = {}
  const total = amountProblem(totalAmount, currency)
  if (total !== null) details.total_amount = total
  if (purchase.mode === 'quote') return details
  const { custom, path } = purchase
  custom.product_details.forEach((product, index) => {
    const problem = amountProblem(product.unit_price, currency)
    if (problem !== null) details[`${path}.product_details[${index}].unit_price`] = problem
  })
  if (networkSafeName(custom.merchant_details.name) === '') {
    details[`${path}.merchant_details.name`] = 'must hold at least one letter or digit that card networks can show'
  }
  return details
}

/** Letters that no normalisation takes apart, and the marks keyboards and editors write for plain ones. */
const PLAIN_FORMS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' },
  ...{ ẞ: 'SS', Æ: 'AE', Œ: 'OE', Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Þ: 'TH' },
  ...{ '‘': "'", '’': "'", '‐': '-', '–': '-', '—': '-', '⁄': '/' },
}

/**
 * A merchant's name in the characters card networks carry: Latin letters without accents, digits, space and
 * `.,'&()/-`. Empty when no letter or digit is left.
 */
export function networkSafeName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[^\p{ASCII}\p{M}]/gu, (letter) => PLAIN_FORMS[letter] ?? letter)
    .replace(/[^A-Za-z0-9 .,'&()/-]+/g, (run) => (/^\p{M}+$/u.test(run) ? '' : ' '))
    .replace(/\s+/g, ' ')
    .trim()
  return /[A-Za-z0-9]/.test(plain) ? plain : ''
}
