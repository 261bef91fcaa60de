import type { SurfaceSummary } from '@mintmark/contract/wire/surface'
import { momentText } from '../../locale.ts'
import { moneyPiece } from '../../money-text.ts'
import { foreign, type Phrase } from '../../phrase.ts'
import { text as sharedText } from '../../text/text.ts'
import { areTexts, isAsked, isCard, isPayee, isRecord, isTextOrNull } from '../checks.ts'
import type { TermLine, Terms } from '../flow.ts'
import { type Asked, askedLines, cardLine, payeeText, type TermsCard, type TermsPayee } from '../lines.ts'
import { breakdown } from './breakdown.ts'
import { text } from './text/text.ts'

/** The terms in words; null for terms this page does not understand. */
export function paymentTerms(value: unknown): Terms | null {
  const terms = readTerms(value)
  if (terms === null) return null
  const amount = moneyPiece(terms.amount, terms.currency)
  const { sentence } = terms
  return { title: text.approve(amount), action: text.action(amount), sentence, lines: termLines(terms) }
}

/** What the page can put into words: every part is checked, because what is shown must be what is signed. */
export interface PaymentTerms extends Asked {
  amount: string
  currency: string
  payee: TermsPayee
  products: { name: string; unit_price: string; quantity: number }[]
  summary: SurfaceSummary | null
  description: string | null
  card: TermsCard
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
  const { payee, card, products } = value
  if (!isPayee(payee) || !isCard(card) || !isAsked(value)) return null
  if (!Array.isArray(products) || !products.every(isProduct)) return null
  if (!areTexts(value.amount, value.currency, value.approve_by) || !isTextOrNull(value.description)) return null
  if (!isTextOrNull(value.quote_id)) return null
  if (!isSummary(value.summary)) return null
  if (!Number.isInteger(value.charges) || !Number.isInteger(value.valid_minutes)) return null
  return value as unknown as PaymentTerms
}

function isSummary(value: unknown): boolean {
  return value === null || (isRecord(value) && PARTS.every((part) => isTextOrNull(value[part])))
}
const PARTS = ['subtotal', 'shipping', 'tax', 'discount']

function isProduct(value: unknown): boolean {
  return isRecord(value) && areTexts(value.name, value.unit_price) && Number.isInteger(value.quantity)
}

/** The terms in words, all of them: the payee, how much, how often, for what, with which card, how long. */
export function termLines(terms: PaymentTerms): TermLine[] {
  const { payee, amount, currency, charges, card, products, description } = terms
  const words = text.terms
  const purpose = {
    label: sharedText.terms.purpose,
    value: description ? [foreign(description)] : '',
    items: products.map(goods),
  }
  const parts = breakdown(terms, terms.quote_id !== null).flatMap(({ part, amount: share }) =>
    part === 'total' ? [] : [[`${text.summary.breakdown[part]}: `, moneyPiece(share, currency)]],
  )
  return [
    ...askedLines(terms),
    { label: words.payee, value: payeeText(payee) },
    { label: words.amount, value: words.amountOf(moneyPiece(amount, currency), charges) },
    ...(purpose.value === '' && purpose.items.length === 0 ? [] : [purpose]),
    ...(parts.length === 0 ? [] : [{ label: words.breakdown, value: '', items: parts }]),
    cardLine(card),
    ...(terms.quote_id === null ? [] : [{ label: words.ordered, value: words.orderedHere }]),
    { label: words.valid, value: words.fromApproval(durationText(terms.valid_minutes)) },
    { label: words.approveBy, value: momentText(new Date(terms.approve_by)) },
  ]
}

function goods({ name, quantity }: PaymentTerms['products'][number]): Phrase {
  return quantity > 1 ? [`${quantity} × `, foreign(name)] : [foreign(name)]
}

/** The largest unit that says it exactly: `10080` → `7 days`, `90` → `90 minutes`. */
export function durationText(minutes: number): string {
  const [size, unit] = UNITS.find(([minutesEach]) => minutes % minutesEach === 0) ?? UNITS[2]
  return sharedText.count(minutes / size, unit)
}

const UNITS = [
  [1_440, 'day'],
  [60, 'hour'],
  [1, 'minute'],
] as const
