import { minorOf } from '@mintmark/contract/amounts'
import { MERCHANT_SCOPES, RECURRING_FREQUENCIES } from '@mintmark/contract/states'
import type { MandateTerms } from '@mintmark/contract/wire/surface'
import { moneyPiece } from '../../money-text.ts'
import { foreign } from '../../phrase.ts'
import { areTexts, isAsked, isPayee, isRecord, isTextOrNull } from '../checks.ts'
import type { Terms } from '../flow.ts'
import { text } from './text/text.ts'

/** What the page reads of terms that it understands. */
type ReadTerms = Omit<MandateTerms, 'session_id' | 'account_id' | 'customer_id' | 'mandate_id'>

/** What the page shows of terms that it understands; null for any other. */
export function mandateTerms(value: unknown): Terms | null {
  const terms = readTerms(value)
  if (terms === null) return null
  const { payee, agent, amount, currency, frequency, sentence, card } = terms
  const action = text.action(moneyPiece(amount, currency), frequency)
  return { title: text.allow(foreign((agent ?? payee).name)), action, sentence, card }
}

/**
 * Null for terms this page does not understand, such as those of a later version. They must not be approved here: the
 * passkey would sign something else than what the cardholder read.
 */
export function readTerms(value: unknown): ReadTerms | null {
  if (!isRecord(value) || value.version !== 1 || value.type !== 'mandate') return null
  const { amount, most_total, frequency, max_charges, valid_until } = value
  if (!isPayee(value.payee) || !isAsked(value)) return null
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
