import type { ComponentChildren, InputHTMLAttributes } from 'preact'

/**
 * Something to type. Takes its words: the `label`, a `hint`, and what is wrong (`problem`), which stands in the hint's
 * place.
 */
export function Field({ id, label, hint, problem, isMasked, className, input, children }: FieldProps) {
  const isWrong = problem != null
  return (
    <div class={`field ${isWrong ? 'field-wrong ' : ''}${className ?? ''}`}>
      <label for={id} class="label">
        {label}
      </label>
      <div class="input-slot">
        <input
          id={id}
          class={isMasked ? 'input input-masked' : 'input'}
          autocapitalize="off"
          spellcheck={false}
          aria-required="true"
          aria-describedby={`${id}-hint ${id}-error`}
          aria-invalid={isWrong}
          {...input}
        />
        {children}
      </div>
      <div class="field-note">
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
        {/* There before it says anything, so that it is heard. */}
        <p id={`${id}-error`} class="field-error" role="alert">
          {problem}
        </p>
      </div>
    </div>
  )
}

export interface FieldProps {
  /** Once in the document: the ids of its parts are made of it. */
  id: string
  label: ComponentChildren
  hint?: ComponentChildren
  problem?: ComponentChildren
  /** Hides what is typed from bystanders, yet is no password field: browsers would offer to save it. */
  isMasked?: boolean | undefined
  className?: string | undefined
  /** What else the element of HTML takes. */
  input: InputHTMLAttributes
  /** Beside what is typed, such as the mark of a card. */
  children?: ComponentChildren
}
