import type { CardRefusal } from '@mintmark/contract/surface'
import { type ButtonKind, button, whileBusy } from './button.ts'
import { h } from './dom.ts'
import type { Refusal } from './errors.ts'
import { ruleFor } from './errors.ts'
import type { Field } from './field.ts'

export interface Form {
  element: HTMLFormElement
  /** Shows a refusal that belongs in the form, at its fields where it names them; false for any other. */
  refused(refusal: Refusal): boolean
  clear(): void
}

export interface FormOptions {
  fields: Field[]
  layout?: HTMLElement[]
  submit: string
  kind?: ButtonKind
  /** What the button says while the form is sent. */
  busy: string
  /** Its fields by what a refusal names: the request's fields as `details` spell them, codes, and reasons. */
  names?: Record<string, Field>
  /** The security code: emptied once it was refused, or the bank said no to its card. Any other refusal may be tried again with it. */
  code?: Field
  send(): Promise<void>
}

export function createForm({
  fields,
  layout,
  submit,
  kind = 'primary',
  busy,
  names = {},
  code: secret,
  send,
}: FormOptions): Form {
  const alert = h('p', { class: 'alert', role: 'alert', hidden: true })
  const submitButton = button(submit, null, { submit: true, kind })
  // `post`: should the handler ever be missing, a submission must not put card data into the address.
  const element = h('form', { class: 'form', method: 'post', novalidate: true, autocomplete: 'on' })
  element.append(alert, ...(layout ?? fields.map((field) => field.element)), submitButton)
  const tell = (words: string) => {
    alert.hidden = words === ''
    alert.textContent = words
  }
  element.addEventListener('submit', (event) => {
    event.preventDefault()
    const wrong = fields.filter((field) => !field.check())
    if (wrong[0]) return wrong[0].input.focus()
    tell('')
    void whileBusy(submitButton, () => whileReadOnly(fields, send), busy)
  })
  return {
    element,
    refused(refusal) {
      const { reaction, text } = ruleFor(refusal)
      if (reaction !== 'field') return false
      // The details are in a developer's words: only the names of the fields are used.
      const { code, details } = refusal
      const refusedFields = [...Object.keys(details), code, details.reason ?? ''].flatMap((name) => names[name] ?? [])
      if (secret && SPENDS_CODE.has(details.reason ?? '')) empty(secret.input)
      for (const field of refusedFields) field.refuse()
      tell(text)
      const target = refusedFields[0] ?? fields[0]
      target?.input.focus()
      return true
    },
    clear() {
      for (const field of fields) field.clear()
      tell('')
    },
  }
}

const SPENDS_CODE: ReadonlySet<string> = new Set<CardRefusal>(['CVV_MISMATCH', 'CARD_DECLINED'])

/** As if the cardholder did it: the page around a frame hears that the form is no longer complete. */
function empty(input: HTMLInputElement): void {
  input.value = ''
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

/** What was sent stays as it was sent until there is an answer. */
async function whileReadOnly(fields: Field[], work: () => Promise<void>): Promise<void> {
  const set = (readOnly: boolean) => {
    for (const { input } of fields) input.readOnly = readOnly
  }
  set(true)
  try {
    await work()
  } finally {
    set(false)
  }
}
