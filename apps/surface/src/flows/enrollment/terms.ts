import type { EnrollmentTerms } from '@mintmark/contract/wire/surface'
import { foreign } from '../../phrase.ts'
import { areTexts, isAsked, isRecord } from '../checks.ts'
import type { Terms } from '../flow.ts'
import { text } from './text/text.ts'

type ReadTerms = Pick<EnrollmentTerms, 'merchant_name' | 'card' | 'approve_by' | 'sentence'>

/** What the page shows of terms that it understands; null for any other: they must not be approved here. */
export function enrollmentTerms(value: unknown): Terms | null {
  const terms = readTerms(value)
  if (terms === null) return null
  const { merchant_name: name, card, sentence } = terms
  return { title: text.save(foreign(name)), action: text.action, sentence, card }
}

function readTerms(value: unknown): ReadTerms | null {
  if (!isRecord(value) || value.version !== 1 || value.type !== 'card_enrollment' || !isAsked(value)) return null
  return areTexts(value.merchant_name, value.approve_by) ? (value as unknown as ReadTerms) : null
}
