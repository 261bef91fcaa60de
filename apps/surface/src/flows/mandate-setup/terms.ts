import { minorOf } from '@mintmark/contract/amounts'
import { MERCHANT_SCOPES, RECURRING_FREQUENCIES } from '@mintmark/contract/states'
import type { MandateTerms } from '@mintmark/contract/wire/surface'
import { dayAndTimeText, momentText } from '../../locale.ts'
import { moneyPiece } from '../../money-text.ts'
import { foreign, type Phrase } from '../../phrase.ts'
import { text as sharedText } from '../../text/text.ts'
import { areTexts, isAsked, isCard, isPayee, isRecord, isTextOrNull } from '../checks.ts'
import type { TermLine, Terms } from '../flow.ts'
import { askedLines, cardLine, payeeText } from '../lines.ts'
import { placeText } from './summary.ts'
import { text } from './text/text.ts'

/** What the page can put into words of terms that it understands. */
type ReadTerms = Omit<MandateTerms, 'session_id' | 'account_id' | 'customer_id' | 'mandate_id'>

/** The terms in words; null for terms this page does not understand. */
export function mandateTerms(value: unknown): Terms | null {
  const terms = readTerms(value)
  if (terms === null) return null
  const { payee, amount, currency, frequency, sentence } = terms
  const action = text.action(moneyPiece(amount, currency), frequency)
  return { title: text.allow(foreign(payee.name)), action, sentence, lines: termLines(terms) }
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

/** The terms in words, all of them: the payee, how much each time, how often, where, until when, and the most of it. */
function termLines(terms: ReadTerms): TermLine[] {
  const { payee, amount, currency, frequency, max_charges, merchant_scope, valid_until, description } = terms
  const words = text.terms
  return [
    ...askedLines(terms),
    { label: words.who, value: payeeText(payee) },
    { label: words.limit, value: words.limitOf(moneyPiece(amount, currency), frequency, max_charges) },
    { label: words.count, value: words.countOf(max_charges, frequency) },
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
  return isExplained ? text.terms.mostOfTimes(all, total / each, one) : text.terms.mostOf(all)
}
