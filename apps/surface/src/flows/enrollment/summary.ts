import type { EnrollmentView } from '@mintmark/contract/wire/surface'
import { h, paragraph, words } from '../../dom.ts'
import { foreign } from '../../phrase.ts'
import { amountLabel } from '../sandbox.ts'
import { cardState } from './card-state.ts'
import { text } from './text/text.ts'

/** For whom the card is saved, and that nothing is charged: in sight at every step. */
export function enrollmentSummary(view: EnrollmentView): HTMLElement {
  const { enrollment, environment } = view
  const state = cardState(view)
  const element = h(
    'section',
    { class: 'summary', 'aria-label': text.summary.label },
    amountLabel(text.summary.states[state], environment),
    h('p', { class: 'amount amount-words' }, ...words(text.summary.what)),
  )
  if (state === 'toSave') element.append(paragraph(text.summary.note(foreign(enrollment.merchant_name)), 'hint'))
  return element
}
