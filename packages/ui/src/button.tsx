import type { ComponentChildren } from 'preact'

type Kind = 'primary' | 'secondary' | 'quiet' | 'danger'

/** `aria-disabled`, not `disabled`: a disabled element loses the focus, and the keyboard its place. */
export function Button({
  kind = 'primary',
  busy = false,
  submit = false,
  onPress,
  children,
  describedBy,
  label,
}: ButtonProps) {
  return (
    <button
      type={submit ? 'submit' : 'button'}
      class={`button button-${kind}`}
      aria-disabled={busy}
      aria-busy={busy}
      aria-describedby={describedBy}
      aria-label={label}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onPress?.()
      }}
    >
      {children}
    </button>
  )
}

interface ButtonProps {
  kind?: Kind
  busy?: boolean
  submit?: boolean
  onPress?: () => void
  describedBy?: string
  /** Where its words alone do not say of what. */
  label?: string
  children: ComponentChildren
}
