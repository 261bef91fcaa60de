import type { EnrollmentView } from '@mintmark/contract/wire/surface'
import type { Bill } from '../flow.ts'
import { cardState } from './card-state.ts'
import { text } from './text/text.ts'

/** That a card is kept, and what becomes of it. */
export function enrollmentBill(view: EnrollmentView): Bill {
  return {
    label: text.summary.label,
    state: text.summary.states[cardState(view)],
    amount: text.summary.what,
    isWords: true,
  }
}
