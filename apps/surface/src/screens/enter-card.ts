import { brandIcon } from '../brand-icon.ts'
import { button } from '../button.ts'
import { cardKind, codeProblem, formatNumber, numberProblem } from '../card-rules.ts'
import { digitsOf } from '../digit-text.ts'
import { h, heading, paragraph } from '../dom.ts'
import { completeExpiryText, expiryProblem, formatExpiryDigits, parseExpiry } from '../expiry-rules.ts'
import { createField, type Field } from '../field.ts'
import { sandboxCardHint } from '../flows/sandbox.ts'
import { createForm } from '../form.ts'
import { keepGrouped } from '../grouping.ts'
import { createOnceChoice } from '../once-choice.ts'
import type { Screen, ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'

export function enterCard(host: ScreenHost, back: (() => void) | null): Screen {
  const fields = createFields(host)
  const { number, expiry, code } = fields
  const all = [number, expiry, code]
  const { keeping } = host.flow.words
  const once = typeof keeping === 'string' ? null : createOnceChoice(keeping)
  const clear = () => {
    form.clear()
    once?.clear()
  }
  const form = createForm({
    fields: all,
    layout: [
      number.element,
      h('div', { class: 'field-row' }, expiry.element, code.element),
      ...sandboxCardHint(host.view),
      once?.element ?? paragraph(String(keeping), 'hint'),
    ],
    submit: text.buttons.continue,
    busy: text.enterCard.busy,
    code,
    names: {
      card_number: number,
      expiry_month: expiry,
      expiry_year: expiry,
      cvv: code,
      CARD_EXPIRED: expiry,
      CVV_MISMATCH: code,
    },
    async send() {
      once?.hold(true)
      await host.perform(() => send(host, fields, once?.chosen() === true), form.refused)
      once?.hold(false)
    },
  })
  form.element.addEventListener('input', () => {
    host.progress({
      complete: all.every((field) => field.problem() === null),
      brand: cardKind(number.input.value).brand,
    })
  })
  const element = h('div', {}, heading(host.flow.words.enterCard), form.element)
  if (back) element.append(button(text.enterCard.useSaved, back, { kind: 'quiet' }))
  return { element, leave: clear }
}

interface CardFields {
  number: Field
  expiry: Field
  code: Field
}

function createFields(host: ScreenHost): CardFields {
  const number = createField({
    label: text.cardNumber.label,
    name: 'card-number',
    autocomplete: 'cc-number',
    inputmode: 'numeric',
    placeholder: text.cardNumber.example,
    refused: text.cardNumber.wrong,
    problem: numberProblem,
  })
  const expiry = createField({
    label: text.expiry.label,
    name: 'card-expiry',
    autocomplete: 'cc-exp',
    inputmode: 'numeric',
    placeholder: text.expiry.example,
    refused: text.expiry.refused,
    problem: (value) => expiryProblem(value, host.now()),
  })
  const code = createField({
    label: text.securityCode.label,
    name: 'card-code',
    autocomplete: 'cc-csc',
    inputmode: 'numeric',
    placeholder: '123',
    masked: true,
    refused: text.securityCode.refused,
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
    code.setHint(codeLength === 4 ? text.securityCode.front : '')
    // A code that was right for another network may be wrong now.
    if (code.input.value !== '') code.check()
  })
}

function send(host: ScreenHost, { number, expiry, code }: CardFields, once: boolean) {
  const date = parseExpiry(expiry.input.value)
  return host.backend.enterCard({
    card_number: digitsOf(number.input.value),
    expiry_month: String(date?.month ?? '').padStart(2, '0'),
    expiry_year: String(date?.year ?? ''),
    cvv: code.input.value,
    ...(once && { once }),
  })
}
