import type { Problem } from './card-rules.ts'
import { words as asNodes, h, uniqueId } from './dom.ts'
import type { Phrase } from './phrase.ts'

export interface FieldOptions {
  label: string
  name: string
  autocomplete: AutoFill
  inputmode?: 'numeric' | 'decimal' | 'text'
  /** A field for a date, from the first of these days to the last. */
  days?: { first: string; last: string }
  placeholder?: string
  hint?: Phrase
  /** Hides what is typed from bystanders, yet is no password field: browsers would offer to save it. */
  masked?: boolean
  className?: string
  /** Said when only the backend found a fault. */
  refused: string
  problem(value: string): Problem
}

export interface Field {
  element: HTMLElement
  input: HTMLInputElement
  problem(): Problem
  /** Shows what is wrong, if anything; true when the field is right. */
  check(): boolean
  /** Marks a fault only the backend found, until the next keystroke. */
  refuse(): void
  setHint(words: string): void
  clear(): void
}

export function createField(options: FieldOptions): Field {
  const ids = { input: uniqueId(options.name), hint: uniqueId('hint'), error: uniqueId('error') }
  const input = h('input', {
    id: ids.input,
    name: options.name,
    type: options.days ? 'date' : null,
    min: options.days?.first ?? null,
    max: options.days?.last ?? null,
    class: options.masked ? 'input input-masked' : 'input',
    autocomplete: options.autocomplete,
    inputmode: options.inputmode ?? 'text',
    placeholder: options.placeholder ?? null,
    autocapitalize: 'off',
    spellcheck: 'false',
    'aria-required': 'true',
    'aria-describedby': `${ids.hint} ${ids.error}`,
  })
  const hint = h('p', { id: ids.hint, class: 'hint' }, ...asNodes(options.hint ?? ''))
  const error = h('p', { id: ids.error, class: 'field-error', role: 'alert' })
  const label = h('label', { for: ids.input, class: 'label' }, options.label)
  const slot = h('div', { class: 'input-slot' }, input)
  const note = h('div', { class: 'field-note' }, hint, error)
  const element = h('div', { class: `field ${options.className ?? ''}`.trim() }, label, slot, note)

  const problem = () => options.problem(input.value)
  const tell = (words: Problem) => {
    // Set only when it changes, or a screen reader repeats it at each keystroke.
    const said = h('span', {}, ...asNodes(words ?? ''))
    if (error.textContent !== said.textContent) error.replaceChildren(...said.childNodes)
    input.setAttribute('aria-invalid', String(words !== null))
    element.classList.toggle('field-wrong', words !== null)
  }
  const check = () => {
    tell(problem())
    return problem() === null
  }
  watch(input, () => error.textContent !== '', check)
  return {
    element,
    input,
    problem,
    check,
    refuse: () => tell(options.refused),
    setHint: (words) => {
      hint.textContent = words
    },
    clear: () => {
      input.value = ''
      tell(null)
    },
  }
}

/** No correction while typing: an error appears when the field is left, and goes as soon as the fault is gone. */
function watch(input: HTMLInputElement, hasError: () => boolean, check: () => boolean): void {
  input.addEventListener('blur', () => {
    if (input.value.trim() !== '') check()
  })
  input.addEventListener('input', () => {
    if (hasError()) check()
  })
}
