import type { Signal } from '@preact/signals'
import type { ComponentChildren, ComponentProps } from 'preact'
import { Alert, Field } from '../ui.tsx'
import { failure } from './state.ts'

/** One thing that is typed and sent, and the buttons below it. */
export function TypedField({ id, value, problem, label, hint, input, send, children }: TypedFieldProps) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Field id={id} label={label} hint={hint} problem={problem.value}>
        <input
          {...input}
          id={id}
          value={value.value}
          aria-invalid={problem.value !== undefined}
          aria-describedby={`${id}-note`}
          onInput={(event) => {
            value.value = event.currentTarget.value
            problem.value = undefined
            failure.value = ''
          }}
        />
      </Field>
      <Alert words={failure.value} />
      <div class="actions">{children}</div>
    </form>
  )
}

interface TypedFieldProps {
  id: string
  value: Signal<string>
  problem: Signal<string | undefined>
  label: string
  hint?: string
  input: ComponentProps<'input'>
  send: () => void
  children: ComponentChildren
}

/** Says what is wrong with what was typed, and leads back to it. */
export function wrong(problem: Signal<string | undefined>, id: string, words: string): void {
  problem.value = words
  document.getElementById(id)?.focus()
}
