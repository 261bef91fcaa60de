import { hostText } from '@mintmark/contract/sentence'
import type { MandateSetupView, SurfaceMandate } from '@mintmark/contract/wire/surface'
import { type Child, h, paragraph, words } from '../../dom.ts'
import { dateText } from '../../locale.ts'
import { moneyPiece } from '../../money-text.ts'
import { foreign, type Phrase } from '../../phrase.ts'
import { amountLabel } from '../sandbox.ts'
import { permissionState } from './permission-state.ts'
import { text } from './text/text.ts'

/** How much may be charged, how often, where, until when and the most of it: in sight at every step. */
export function mandateSummary(view: MandateSetupView): HTMLElement {
  const { mandate, environment } = view
  const state = permissionState(view)
  const element = h(
    'section',
    { class: 'summary', 'aria-label': text.summary.label },
    amountLabel(text.summary.states[state], environment),
    h('p', { class: 'amount' }, ...limit(mandate)),
  )
  if (mandate.description) element.append(paragraph([foreign(mandate.description)], 'description'))
  // Limits of nothing would only be read as limits of something.
  if (state !== 'notAllowed') element.append(factList(view))
  if (state === 'toAllow') element.append(paragraph(note(view), 'hint'))
  return element
}

/** Where it is paused or ended: an agent's at the page of its owner. */
function note({ agent, mandate }: MandateSetupView): Phrase {
  const words = text.summary
  if (agent === null) return words.note(foreign(mandate.merchant_name))
  return agent.owner_url === null ? words.noCharge : words.noteOfAgent(foreign(hostText(agent.owner_url)))
}

function factList(view: MandateSetupView): HTMLElement {
  const rows = summaryFacts(view).map((fact) => h('li', { class: 'line' }, h('span', {}, ...words(fact))))
  return h('ul', { class: 'facts' }, ...rows)
}

/** The cap is largest. */
function limit({ amount, currency, recurring_frequency: frequency }: SurfaceMandate): Child[] {
  return [...words([moneyPiece(amount, currency)]), ' ', h('span', { class: 'amount-beside' }, text.each[frequency])]
}

/** Which agent it is for, and the limits beside the cap. */
export function summaryFacts({ agent, mandate }: Pick<MandateSetupView, 'agent' | 'mandate'>): Phrase[] {
  const { merchant_url, merchant_scope, valid_until, most_total, currency } = mandate
  const words = text.summary
  const count = countText(mandate)
  return [
    ...(agent === null ? [] : [words.who(foreign(agent.name))]),
    placeText(merchant_scope, merchant_url),
    valid_until === null ? words.fromPermission : words.until(foreign(dateText(new Date(valid_until)))),
    ...(count === null ? [] : [count]),
    text.most(moneyPiece(most_total, currency)),
  ]
}

/** Null where only the cap limits the number; once is once, whatever else does. */
export function countText({ recurring_frequency, max_charges }: SurfaceMandate): string | null {
  return recurring_frequency === 'one_time' || max_charges === null ? null : text.summary.count(max_charges)
}

export function placeText(scope: SurfaceMandate['merchant_scope'], url: string): Phrase {
  return scope === 'any' ? text.anywhere : text.only(foreign(hostText(url)))
}
