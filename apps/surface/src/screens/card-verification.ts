import { button } from '../button.ts'
import { plainCode, verificationCodeProblem } from '../card-rules.ts'
import { cardName } from '../card-text.ts'
import { h, heading, paragraph } from '../dom.ts'
import { ruleFor } from '../errors.ts'
import { createField } from '../field.ts'
import { sandboxCodeHint } from '../flows/sandbox.ts'
import { createForm } from '../form.ts'
import type { Screen, ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'
import { chooseCard } from './choose-card.ts'

/** The card's bank sent a code to the cardholder. */
export function cardVerification(host: ScreenHost): Screen {
  const { card } = host.view
  const code = createField({
    label: text.oneTimeCode.label,
    name: 'one-time-code',
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    className: 'field-narrow field-code',
    refused: text.oneTimeCode.refused,
    problem: verificationCodeProblem,
  })
  const form = createForm({
    fields: [code],
    submit: text.cardVerification.submit,
    busy: text.cardVerification.busy,
    names: { code, STEP_UP_INVALID: code },
    send: () =>
      host.perform(
        () => host.backend.verifyCard({ code: plainCode(code.input.value) }),
        (refusal) => {
          // The network refuses this card for good, so no code can help.
          if (refusal.code === 'CARD_REFUSED') {
            if (!host.flow.cardFixed?.(host.view)) host.show(chooseCard(host))
            host.warn(ruleFor(refusal).text)
            return true
          }
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
    {},
    heading(text.cardVerification.title),
    paragraph(text.cardVerification.sent(card ? cardName(card) : null)),
    host.view.environment === 'sandbox' && sandboxCodeHint(),
    form.element,
    wayToLetters(code.input),
  )
  if (!host.flow.cardFixed?.(host.view)) {
    element.append(button(text.savedCards.another, () => host.show(chooseCard(host)), { kind: 'quiet' }))
  }
  return { element, leave: form.clear }
}

/** Nearly all codes are digits, and a phone shows the keys of those alone. A cardholder with another one needs the others. */
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
