import type { EnrollmentTerms } from '@mintmark/contract/wire/surface'
import { momentText } from '../../locale.ts'
import { filled, foreign } from '../../phrase.ts'
import { areTexts, isAsked, isCard, isRecord } from '../checks.ts'
import type { Terms } from '../flow.ts'
import { cardLine } from '../lines.ts'
import { text } from './text/text.ts'

type ReadTerms = Pick<EnrollmentTerms, 'merchant_name' | 'card' | 'approve_by' | 'sentence'>

/** The terms in words; null for terms this page does not understand: they must not be approved here. */
export function enrollmentTerms(value: unknown): Terms | null {
  const terms = readTerms(value)
  if (terms === null) return null
  const { merchant_name: name, card, approve_by, sentence } = terms
  const words = text.terms
  return {
    title: filled(text.save, { merchant: foreign(name) }),
    action: text.action,
    sentence,
    lines: [
      { label: words.who, value: [foreign(name)] },
      cardLine(card),
      { label: words.charged, value: words.nothing },
      { label: words.approveBy, value: momentText(new Date(approve_by)) },
    ],
  }
}

export function readTerms(value: unknown): ReadTerms | null {
  if (!isRecord(value) || value.version !== 1 || value.type !== 'card_enrollment') return null
  if (!areTexts(value.merchant_name, value.approve_by) || !isCard(value.card) || !isAsked(value)) return null
  return value as unknown as ReadTerms
}
