import { brandIcon } from '../brand-icon.ts'
import { button } from '../button.ts'
import { cardKind, codeProblem, formatNumber, numberProblem } from '../card-rules.ts'
import { digitsOf } from '../digit-text.ts'
import { h, heading } from '../dom.ts'
import { completeExpiryText, expiryProblem, formatExpiryDigits, parseExpiry } from '../expiry-rules.ts'
import { createField, type Field } from '../field.ts'
import { createForm } from '../form.ts'
import { keepGrouped } from '../grouping.ts'
import type { Desk, Screen } from '../screen.ts'

export function enterCard(desk: Desk, back: (() => void) | null): Screen {
  const fields = createFields(desk)
  const { number, expiry, code } = fields
  const all = [number, expiry, code]
  const clear = () => form.clear()
  const form = createForm({
    fields: all,
    layout: [number.element, h('div', { class: 'field-row' }, expiry.element, code.element)],
    submit: 'Continue',
    names: {
      card_number: number,
      expiry_month: expiry,
      expiry_year: expiry,
      cvv: code,
    },
    send: () => desk.perform(() => send(desk, fields), form.refused),
  })
  form.element.addEventListener('input', () => {
    desk.progress({
      complete: all.every((field) => field.problem() === null),
      brand: cardKind(number.input.value).brand,
    })
  })
  const element = h('div', {}, heading('Pay with a card'), form.element)
  if (back) element.append(button('Use a saved card', back, { kind: 'quiet' }))
  return { element, leave: clear }
}

interface CardFields {
  number: Field
  expiry: Field
  code: Field
}

function createFields(desk: Desk): CardFields {
  const number = createField({
    label: 'Card number',
    name: 'card-number',
    autocomplete: 'cc-number',
    inputmode: 'numeric',
    placeholder: '1234 1234 1234 1234',
    problem: numberProblem,
  })
  const expiry = createField({
    label: 'Expiry date',
    name: 'card-expiry',
    autocomplete: 'cc-exp',
    inputmode: 'numeric',
    placeholder: 'MM / YY',
    problem: (value) => expiryProblem(value, desk.now()),
  })
  const code = createField({
    label: 'Security code',
    name: 'card-code',
    autocomplete: 'cc-csc',
    inputmode: 'numeric',
    placeholder: '123',
    masked: true,
    problem: (value) => codeProblem(value, cardKind(number.input.value).codeLength),
  })
  keepGrouped(number.input, formatNumber)
  keepGrouped(expiry.input, formatExpiryDigits, completeExpiryText)
  keepGrouped(code.input, (digits) => digits.slice(0, 4))
  followBrand(number, code)
  return { number, expiry, code }
}

/** The mark beside the number, and where that network prints its code. */
function followBrand(number: Field, code: Field): void {
  let icon = brandIcon(null)
  let shown: string | null = null
  number.input.after(icon)
  number.input.addEventListener('input', () => {
    const { brand, codeLength } = cardKind(number.input.value)
    if (brand === shown) return
    shown = brand
    const next = brandIcon(brand)
    icon.replaceWith(next)
    icon = next
    code.input.placeholder = '1234'.slice(0, codeLength)
    code.setHint(codeLength === 4 ? '4 digits on the front' : '')
    // A code that was right for another network may be wrong now.
    if (code.input.value !== '') code.check()
  })
}

function send(desk: Desk, { number, expiry, code }: CardFields) {
  const date = parseExpiry(expiry.input.value)
  return desk.backend.enterCard({
    card_number: digitsOf(number.input.value),
    expiry_month: String(date?.month ?? '').padStart(2, '0'),
    expiry_year: String(date?.year ?? ''),
    cvv: code.input.value,
  })
}
