import { button } from '../button.ts'
import { plainCode, verificationCodeProblem } from '../card-rules.ts'
import { cardName } from '../card-text.ts'
import { h, heading, paragraph } from '../dom.ts'
import { draw } from '../draw.tsx'
import { type Refusal, ruleFor } from '../errors.ts'
import { createField } from '../field.tsx'
import { createForm } from '../form.ts'
import { filledText } from '../phrase.ts'
import type { Screen, ScreenHost } from '../screen.ts'
import { SandboxCode } from '../screen-parts.tsx'
import { text } from '../text/text.ts'
import { chooseCard } from './choose-card.ts'

/** The card's bank sent a code to the cardholder. */
export function cardVerification(host: ScreenHost): Screen {
  const words = text.cardVerification
  const { card, environment, code: { number = 0, next_from: from } = {} } = host.view
  const fixed = host.flow.cardFixed?.(host.view)
  // The network refuses this card for good, so no code can help.
  const refusedCard = (refusal: Refusal): boolean => {
    if (refusal.code !== 'CARD_REFUSED') return false
    if (!fixed) host.show(chooseCard(host))
    host.warn(ruleFor(refusal).text)
    return true
  }
  const code = createField({
    label: text.oneTimeCode.label,
    input: { name: 'one-time-code', autocomplete: 'one-time-code', inputmode: 'numeric' },
    className: 'field-narrow field-code',
    refused: text.oneTimeCode.refused,
    problem: verificationCodeProblem,
  })
  const another = button(text.savedCards.another, () => host.show(chooseCard(host)), { kind: 'quiet' })
  const anew = button(words.anew, () => host.perform(() => host.backend.newCode(), refusedCard), {
    kind: 'quiet',
    busy: text.savedCards.busy,
  })
  // It has its room before its time: what is below a finger must not move.
  const showAnew = (visibility: string) => anew.style.setProperty('visibility', visibility)
  showAnew('hidden')
  const form = createForm({
    fields: [code],
    layout: [code.element, wayToLetters(code.input), ...(from ? [anew] : []), ...(fixed ? [] : [another])],
    submit: words.submit,
    busy: words.busy,
    names: { code, STEP_UP_INVALID: code },
    send: () =>
      host.perform(
        () => host.backend.verifyCard({ code: plainCode(code.input.value) }),
        (refusal) => {
          if (refusedCard(refusal)) return true
          const shown = form.refused(refusal)
          // A wrong code will be typed again from the start.
          if (shown) code.input.select()
          return shown
        },
      ),
  })
  code.input.addEventListener('input', () =>
    host.progress({ complete: code.problem() === null, brand: card?.card_brand ?? null }),
  )
  const element = h(
    'div',
    { class: 'drawn' },
    heading(words.title),
    paragraph(number > 0 ? words.sentAnew : card ? filledText(words.sentFor, { card: cardName(card) }) : words.sent),
    environment === 'sandbox' && draw(<SandboxCode number={number} />),
    form.element,
  )
  return {
    element,
    enter() {
      if (from) setTimeout(() => showAnew(''), Date.parse(from) - host.now().getTime())
    },
    leave: form.clear,
  }
}

/** Nearly all codes are digits, and a phone shows the keys of those alone. Another code needs the others. */
function wayToLetters(input: HTMLInputElement): HTMLElement {
  const way = button(
    text.oneTimeCode.letters,
    () => {
      way.remove()
      // A keyboard that is open changes only when it is opened again.
      input.blur()
      input.inputMode = 'text'
      input.focus()
    },
    { kind: 'quiet' },
  )
  way.classList.add('touch-only')
  return way
}
