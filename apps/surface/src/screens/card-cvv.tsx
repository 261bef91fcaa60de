import { KEEPING_WORDS_VERSION } from '@mintmark/contract/keeping'
import { button } from '../button.ts'
import { codeProblem, type Problem } from '../card-rules.ts'
import { codeLengthOf } from '../card-text.ts'
import { h, heading } from '../dom.ts'
import { draw } from '../draw.tsx'
import { createField } from '../field.tsx'
import { createForm } from '../form.ts'
import { keepGrouped } from '../grouping.ts'
import type { Screen, ScreenHost } from '../screen.ts'
import { CardHere, ExpiryNote, SandboxCard, Sentence, saysKept } from '../screen-parts.tsx'
import { text } from '../text/text.ts'
import { chooseCard } from './choose-card.ts'

/** The card is known; its code is never stored, so it is asked for each time. */
export function cardCvv(host: ScreenHost): Screen {
  const { flow, view } = host
  const saved = view.card
  const card = saved ?? view.card_on_file
  // For one that is saved it was said when it was.
  const told = saved ? {} : { keeping_words: KEEPING_WORDS_VERSION }
  // A number of no known network may have a code of either length.
  const length = card?.card_brand ? codeLengthOf(card.card_brand) : null
  const code = createField({
    label: text.securityCode.label,
    input: {
      name: 'card-code',
      autocomplete: 'cc-csc',
      inputmode: 'numeric',
      placeholder: '1234'.slice(0, length ?? 3),
    },
    hint: whereItIs(length),
    isMasked: true,
    className: 'field-narrow',
    refused: text.securityCode.refused,
    problem: (value) => (length === null ? lengthlessProblem(value) : codeProblem(value, length)),
  })
  keepGrouped(code.input, (digits) => digits.slice(0, length ?? 4))
  // It was chosen for the cardholder, who may not have it at hand, or not want to pay with it.
  const another = button(text.savedCards.another, () => host.show(chooseCard(host, () => host.redraw())), {
    kind: 'quiet',
  })
  const form = createForm({
    fields: [code],
    layout: [
      code.element,
      ...(saved ? [] : [saysKept(host)]),
      ...(flow.cardFixed?.(view) ? [] : [another]),
      draw(<Sentence phrase={flow.say(view)} />),
    ],
    submit: text.buttons.continue,
    busy: text.enterCard.busy,
    names: { cvv: code, CVV_MISMATCH: code },
    send: () => host.perform(() => host.backend.enterCard({ cvv: code.input.value, ...told }), form.refused),
  })
  code.input.addEventListener('input', () =>
    host.progress({ complete: code.problem() === null, brand: card?.card_brand ?? null }),
  )
  const element = h('div', { class: 'drawn' }, heading(text.cardCvv.title))
  if (view.environment === 'sandbox') element.prepend(draw(<SandboxCard />))
  if (card) element.append(draw(<CardHere card={card} note={<ExpiryNote card={card} now={host.now()} />} />))
  element.append(form.element)
  return { element, leave: form.clear }
}

function lengthlessProblem(code: string): Problem {
  return /^\d{3}$/.test(code) || codeProblem(code, 4) === null ? null : text.securityCode.wrongEither
}

function whereItIs(length: number | null): string {
  if (length === null) return text.securityCode.whereEither
  return length === 4 ? text.securityCode.whereFront : text.securityCode.whereBack
}
