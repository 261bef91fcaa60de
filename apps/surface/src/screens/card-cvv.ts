import type { SurfaceCardOnFile } from '@mintmark/contract/wire/surface'
import { brandIcon } from '../brand-icon.ts'
import { button } from '../button.ts'
import { codeProblem, type Problem } from '../card-rules.ts'
import { cardExpiry, cardName, codeLengthOf } from '../card-text.ts'
import { h, heading } from '../dom.ts'
import { isExpired } from '../expiry-rules.ts'
import { createField } from '../field.ts'
import { sandboxCardHint } from '../flows/sandbox.ts'
import { createForm } from '../form.ts'
import { keepGrouped } from '../grouping.ts'
import type { Screen, ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'
import { chooseCard } from './choose-card.ts'

/** The card is known; its code is never stored, so it is asked for each time. */
export function cardCvv(host: ScreenHost): Screen {
  const card = host.view.card ?? host.view.card_on_file
  // A number of no known network may have a code of either length.
  const length = card?.card_brand ? codeLengthOf(card.card_brand) : null
  const code = createField({
    label: text.securityCode.label,
    name: 'card-code',
    autocomplete: 'cc-csc',
    inputmode: 'numeric',
    placeholder: '1234'.slice(0, length ?? 3),
    hint: whereItIs(length),
    masked: true,
    className: 'field-narrow',
    refused: text.securityCode.refused,
    problem: (value) => (length === null ? lengthlessProblem(value) : codeProblem(value, length)),
  })
  keepGrouped(code.input, (digits) => digits.slice(0, length ?? 4))
  const form = createForm({
    fields: [code],
    layout: [code.element, ...sandboxCardHint(host.view)],
    submit: text.buttons.continue,
    busy: text.enterCard.busy,
    code,
    names: { cvv: code, CVV_MISMATCH: code },
    send: () => host.perform(() => host.backend.enterCard({ cvv: code.input.value }), form.refused),
  })
  code.input.addEventListener('input', () =>
    host.progress({ complete: code.problem() === null, brand: card?.card_brand ?? null }),
  )
  const element = h('div', {}, heading(text.cardCvv.title))
  if (card) element.append(cardAtHand(card, host.now()))
  element.append(form.element)
  // It was chosen for the cardholder, who may not have it at hand, or not want to pay with it.
  if (!host.flow.cardFixed?.(host.view)) {
    const another = () => host.show(chooseCard(host, () => host.redraw()))
    element.append(button(text.savedCards.another, another, { kind: 'quiet' }))
  }
  return { element, leave: form.clear }
}

function cardAtHand(card: SurfaceCardOnFile, now: Date): HTMLElement {
  const expired = isExpired({ month: card.card_exp_month, year: card.card_exp_year }, now)
  const words = h(
    'span',
    { class: 'card-words' },
    h('span', { class: 'card-name' }, cardName(card)),
    h('span', { class: 'hint' }, (expired ? text.card.expired : text.card.expires)(cardExpiry(card))),
  )
  return h('div', { class: 'card-choice card-fixed' }, brandIcon(card.card_brand), words)
}

function lengthlessProblem(code: string): Problem {
  return /^\d{3}$/.test(code) || codeProblem(code, 4) === null ? null : text.securityCode.wrongEither
}

function whereItIs(length: number | null): string {
  if (length === null) return text.securityCode.whereEither
  return length === 4 ? text.securityCode.whereFront : text.securityCode.whereBack
}
