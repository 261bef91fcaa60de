import { Field as FieldPart, type FieldProps } from '@mintmark/ui/field.tsx'
import type { Problem } from './card-rules.ts'
import { uniqueId } from './dom.ts'
import { drawing, Words } from './draw.tsx'
import type { Phrase } from './phrase.ts'

export interface FieldOptions extends Pick<FieldProps, 'label' | 'isMasked' | 'className'> {
  input: FieldProps['input'] & { name: string }
  hint?: Phrase
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
  const id = uniqueId(options.input.name)
  let { hint = '' } = options
  let wrong: Problem = null
  const drawn = drawing(() => (
    <FieldPart {...options} id={id} hint={<Words phrase={hint} />} problem={wrong && <Words phrase={wrong} />} />
  ))
  const input = drawn.element.querySelector('input') as HTMLInputElement
  const problem = () => options.problem(input.value)
  const tell = (words: Problem) => {
    wrong = words
    drawn.again()
  }
  const check = () => {
    tell(problem())
    return wrong === null
  }
  watch(input, () => wrong !== null, check)
  return {
    element: drawn.element,
    input,
    problem,
    check,
    refuse: () => tell(options.refused),
    setHint(words) {
      hint = words
      drawn.again()
    },
    clear() {
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
