import { MERCHANT_SCOPES, RECURRING_FREQUENCIES } from '@mintmark/contract/states'
import type { MandateTerms, SurfaceMandate } from '@mintmark/contract/wire/surface'
import { dayAndTimeText, formOf, momentText, numberText } from '../../locale.ts'
import { minorOf, moneyPiece } from '../../money-text.ts'
import { filled, filledText, foreign, type Phrase, type Piece } from '../../phrase.ts'
import { text as sharedText } from '../../text/text.ts'
import { areTexts, isAsked, isCard, isPayee, isRecord, isTextOrNull } from '../checks.ts'
import type { TermLine, Terms } from '../flow.ts'
import { askedLines, cardLine, payeeText } from '../lines.ts'
import { eachText, placeText } from './summary.ts'
import { text } from './text/text.ts'

/** What the page can put into words of terms that it understands. */
type ReadTerms = Omit<MandateTerms, 'session_id' | 'account_id' | 'customer_id' | 'mandate_id'>

/** The terms in words; null for terms this page does not understand. */
export function mandateTerms(value: unknown): Terms | null {
  const terms = readTerms(value)
  if (terms === null) return null
  return {
    title: filled(text.allow, { merchant: foreign(terms.payee.name) }),
    action: filled(text.action, { limit: eachText(mandateOf(terms)) }),
    sentence: terms.sentence,
    lines: termLines(terms),
  }
}

/** What the page shows of a permission, as the terms have it. */
export function mandateOf(terms: ReadTerms): Omit<SurfaceMandate, 'adjustable'> {
  const { payee, frequency, amount, currency, merchant_scope, max_charges, valid_until, most_total, description } =
    terms
  return {
    ...{ merchant_name: payee.name, merchant_url: payee.url, recurring_frequency: frequency },
    ...{ amount, currency, merchant_scope, max_charges, valid_until, most_total, description },
  }
}

/**
 * Null for terms this page does not understand, such as those of a later version. They must not be approved here: the
 * passkey would sign something else than what the cardholder read.
 */
export function readTerms(value: unknown): ReadTerms | null {
  if (!isRecord(value) || value.version !== 1 || value.type !== 'mandate') return null
  const { amount, most_total, frequency, max_charges, valid_until } = value
  if (!isPayee(value.payee) || !isCard(value.card) || !isAsked(value)) return null
  if (!areTexts(value.currency, value.approve_by) || !isTextOrNull(value.description)) return null
  if (!isAmount(amount) || !isAmount(most_total)) return null
  if (!isOneOf(MERCHANT_SCOPES, value.merchant_scope) || !isOneOf(RECURRING_FREQUENCIES, frequency)) return null
  if (max_charges !== null && !(Number.isInteger(max_charges) && Number(max_charges) > 0)) return null
  if (frequency === 'one_time' ? valid_until !== null : !isMoment(valid_until)) return null
  return value as unknown as ReadTerms
}

function isAmount(value: unknown): boolean {
  return typeof value === 'string' && /^\d+(?:\.\d{1,2})?$/.test(value) && minorOf(value) > 0n
}

function isMoment(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}

function isOneOf(values: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && values.includes(value)
}

/** The terms in words, all of them: who, how much each time, how often, where, until when, and the most of it. */
function termLines(terms: ReadTerms): TermLine[] {
  const { payee, merchant_scope, valid_until, description } = terms
  const words = text.terms
  return [
    ...askedLines(terms),
    { label: words.who, value: payeeText(payee) },
    { label: words.limit, value: limitText(terms) },
    { label: words.count, value: timesText(terms) },
    { label: words.where, value: placeText(merchant_scope, payee.url) },
    {
      label: words.until,
      value: valid_until === null ? words.fromPermission : [foreign(dayAndTimeText(new Date(valid_until)))],
    },
    { label: words.most, value: mostText(terms) },
    ...(description ? [{ label: sharedText.terms.purpose, value: [foreign(description)] }] : []),
    cardLine(terms.card),
    { label: words.approveBy, value: momentText(new Date(terms.approve_by)) },
  ]
}

/** The most of it, and how it comes together where that is a whole number of times. */
function mostText({ amount, most_total, currency }: ReadTerms): Phrase {
  const [each, total] = [minorOf(amount), minorOf(most_total)]
  const [one, all] = [moneyPiece(amount, currency), moneyPiece(most_total, currency)]
  const isExplained = total > each && total % each === 0n
  const sum: Piece = { together: [`(${numberText(total / each)}\u00a0×\u00a0`, one, ')'] }
  return filled(text.terms.mostOf, { total: isExplained ? [all, ' ', sum] : all })
}

function limitText(terms: ReadTerms): Phrase {
  const { frequency, max_charges } = terms
  if (frequency === 'one_time') return filled(text.limit, { limit: moneyPiece(terms.amount, terms.currency) })
  return filled(max_charges === 1 ? text.limit : text.terms.several, { limit: eachText(mandateOf(terms)) })
}

/** Each week, month or year anew, and so often in all. */
function timesText({ frequency, max_charges: count }: ReadTerms): string {
  const words = text.terms
  if (frequency === 'one_time') return words.once
  const anew = words.anew[frequency]
  return count === null ? anew : filledText(formOf(words.anewSoOften, count), { anew, count: numberText(count) })
}
