import { button } from '../button.ts'
import { verificationCodeProblem } from '../card-rules.ts'
import { cardName } from '../card-text.ts'
import { h, heading, paragraph } from '../dom.ts'
import { ruleFor } from '../errors.ts'
import { createField } from '../field.ts'
import { createForm } from '../form.ts'
import type { Desk, Screen } from '../screen.ts'
import { chooseCard } from './choose-card.ts'

/** The card's bank sent a code to the cardholder. */
export function cardVerification(desk: Desk): Screen {
  const { card } = desk.view
  const code = createField({
    label: 'One-time code',
    name: 'one-time-code',
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    className: 'field-narrow field-code',
    problem: verificationCodeProblem,
  })
  const form = createForm({
    fields: [code],
    submit: 'Verify',
    names: { code },
    send: () =>
      desk.perform(
        () => desk.backend.verifyCard({ code: code.input.value.replaceAll(/\s/g, '') }),
        (refusal) => {
          // The network will not have this card any more, so no code can help.
          if (refusal.code === 'CARD_REFUSED') {
            desk.show(chooseCard(desk))
            desk.warn(ruleFor(refusal).text)
            return true
          }
          const shown = form.refused(refusal)
          // A wrong code is typed anew, not mended.
          if (shown) code.input.select()
          return shown
        },
      ),
  })
  code.input.addEventListener('input', () =>
    desk.progress({ complete: code.problem() === null, brand: card?.card_brand ?? null }),
  )
  const about = card ? ` for ${cardName(card)}` : ''
  const element = h(
    'div',
    {},
    heading('Enter the code from your bank'),
    paragraph(`Your bank sent you a one-time code${about}. It may take a minute to arrive.`),
    form.element,
    button('Use another card', () => desk.show(chooseCard(desk)), { kind: 'quiet' }),
  )
  return { element, leave: form.clear }
}
