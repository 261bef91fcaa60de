import type { MandateSetupView, SurfaceMandate } from '@mintmark/contract/wire/surface'
import { dateText, formOf, numberText } from '../../locale.ts'
import { hostText, moneyPiece } from '../../money-text.ts'
import { type Foreign, filled, filledText, foreign, type Phrase } from '../../phrase.ts'
import type { Bill } from '../flow.ts'
import { permissionState } from './permission-state.ts'
import { text } from './text/text.ts'

/** The cap, largest; then how often, where, until when and the most of it; and what is never allowed. */
export function mandateBill(view: MandateSetupView): Bill {
  const { mandate } = view
  const state = permissionState(view)
  const limit = eachText(mandate)
  const bill = {
    label: text.summary.label,
    state: text.summary.states[state],
    amount: state === 'toAllow' ? limit : filled(text.limit, { limit }),
    description: mandate.description,
  }
  // Limits of nothing would only be read as limits of something.
  if (state === 'notAllowed') return bill
  const facts = summaryFacts(mandate).map((words) => ({ words }))
  if (state !== 'toAllow') return { ...bill, facts }
  const nevers = text.summary.never.map((words) => ({ words, isNever: true }))
  return { ...bill, facts: [...facts, { words: text.summary.stop, isStop: true }, ...nevers] }
}

/** Exactly what is allowed, in one sentence. */
export function sayOf(mandate: SurfaceMandate): Phrase {
  const { merchant_name, currency, merchant_scope, valid_until, most_total } = mandate
  return filled(text.say, {
    merchant: foreign(merchant_name),
    limit: eachText(mandate),
    where: text.where[merchant_scope],
    until: valid_until === null ? text.span : filled(text.until, { date: dayPiece(valid_until) }),
    most: moneyPiece(most_total, currency),
  })
}

/** So much, so often. */
export function eachText({ amount, currency, recurring_frequency }: EachTime): Phrase {
  return filled(text.each[recurring_frequency], { amount: moneyPiece(amount, currency) })
}
type EachTime = Pick<SurfaceMandate, 'amount' | 'currency' | 'recurring_frequency'>

export const dayPiece = (moment: string): Foreign => foreign(dateText(new Date(moment)))

/** The limits beside the cap. */
export function summaryFacts(mandate: SurfaceMandate): Phrase[] {
  const { merchant_url, merchant_scope, valid_until, most_total, currency } = mandate
  const words = text.summary
  const count = countText(mandate)
  return [
    placeText(merchant_scope, merchant_url),
    valid_until === null ? words.fromPermission : filled(words.until, { date: dayPiece(valid_until) }),
    ...(count === null ? [] : [count]),
    filled(text.most, { amount: moneyPiece(most_total, currency) }),
  ]
}

/** Null where only the cap limits the number; once is once, whatever else does. */
export function countText({ recurring_frequency, max_charges }: SurfaceMandate): string | null {
  if (recurring_frequency === 'one_time' || max_charges === null) return null
  return filledText(formOf(text.summary.count, max_charges), { count: numberText(max_charges) })
}

export function placeText(scope: SurfaceMandate['merchant_scope'], url: string): Phrase {
  return scope === 'any' ? text.anywhere : filled(text.only, { place: foreign(hostText(url)) })
}
