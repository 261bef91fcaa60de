import type { SurfacePayment, SurfaceSummary } from '@mintmark/contract/wire/surface'
import { moneyPiece } from '../../money-text.ts'
import { type Asked, areTexts, isAsked, isPayee, isRecord, isTextOrNull } from '../checks.ts'
import type { Terms } from '../flow.ts'
import { text } from './text/text.ts'

/** What the page shows of terms that it understands; null for any other. */
export function paymentTerms(value: unknown): Terms | null {
  const terms = readTerms(value)
  if (terms === null) return null
  const { sentence, card } = terms
  const amount = moneyPiece(terms.amount, terms.currency)
  return { title: text.approve(amount), action: text.action(amount), sentence, card }
}

interface PaymentTerms extends Asked, Omit<SurfacePayment, 'merchant_name' | 'merchant_url' | 'bought_here'> {
  payee: { name: string; url: string }
  charges: number
  valid_minutes: number
  approve_by: string
  /** Null: the merchant itself takes the payment. */
  quote_id: string | null
}

/**
 * Null for terms this page does not understand, such as those of a later version. They must not be approved here: the
 * passkey would sign something else than what the cardholder read.
 */
export function readTerms(value: unknown): PaymentTerms | null {
  if (!isRecord(value) || value.version !== 1 || value.type !== 'payment') return null
  const { payee, products } = value
  if (!isPayee(payee) || !isAsked(value)) return null
  if (!Array.isArray(products) || !products.every(isProduct)) return null
  if (!areTexts(value.amount, value.currency, value.approve_by) || !isTextOrNull(value.description)) return null
  if (!isTextOrNull(value.quote_id)) return null
  if (!isSummary(value.summary)) return null
  if (!Number.isInteger(value.charges) || !Number.isInteger(value.valid_minutes)) return null
  return value as unknown as PaymentTerms
}

function isSummary(value: unknown): value is SurfaceSummary | null {
  return value === null || (isRecord(value) && PARTS.every((part) => isTextOrNull(value[part])))
}
const PARTS = ['subtotal', 'shipping', 'tax', 'discount']

function isProduct(value: unknown): boolean {
  return isRecord(value) && areTexts(value.name, value.unit_price) && Number.isInteger(value.quantity)
}
