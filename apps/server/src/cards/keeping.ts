import { isUntouched, type RowSeals, type SealedRow } from '../platform/row-seals.ts'
import type { Card } from './store.ts'

// What a person was told about keeping their card, and what they answered: `version:answer:seal`, in the column
// `keeping` of the card. One text, because it waits in the session for the network's code, and goes to the card only
// with the entry that it was given with.

/** What its cardholder chose where they typed it. */
export interface Keeping {
  /** The version of the words that they read. */
  words: number
  answer: 'keep' | 'once'
}

type Of = Pick<Card, 'merchantId' | 'id' | 'enrolment'>

/** Null: the page did not say which words it showed. */
export function keepingOf(
  seals: Pick<RowSeals, 'seal'>,
  card: Of,
  { words, once }: { words: number | null; once: boolean },
): string | null {
  if (words === null) return null
  const keeping: Keeping = { words, answer: once ? 'once' : 'keep' }
  return [words, keeping.answer, seals.seal(sealedKeeping(card, keeping)).toString('base64url')].join(':')
}

/** Null: nothing was said, or it was edited, with an alarm. */
export function readKeeping(seals: RowSeals, card: Of, stored: string | null): Keeping | null {
  if (stored === null) return null
  const [words, answer, seal = ''] = stored.split(':')
  const keeping: Keeping = { words: Number(words), answer: answer === 'once' ? 'once' : 'keep' }
  const check = () => seals.check(sealedKeeping(card, keeping), Buffer.from(seal, 'base64url'))
  return isUntouched(check) ? keeping : null
}

function sealedKeeping({ merchantId, id, enrolment }: Of, { words, answer }: Keeping): SealedRow {
  return { table: 'cards', merchantId, id, parts: ['keeping', enrolment, words, answer] }
}
