import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { text } from './text/en.ts'

/** What is said to screen readers without moving the focus. */
export const said = signal('')

/** A page is one sheet with one heading, which takes the focus when it appears: a screen reader starts there. */
export function Sheet({ title, children, wide = false, head }: SheetProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [title])
  return (
    <main class={wide ? 'sheet sheet-wide' : 'sheet'}>
      {head}
      <h1 tabIndex={-1} ref={heading}>
        {title}
      </h1>
      {children}
    </main>
  )
}

interface SheetProps {
  title: string
  children: ComponentChildren
  wide?: boolean
  head?: ComponentChildren
}

type Tone = 'good' | 'calm' | 'warn'
const SIGNS: Record<Tone, string> = { good: 'm5 12.5 4.5 4.5L19 7.5', calm: 'M6 12h12', warn: 'M12 6v7M12 17v.5' }

/** A state of few words. */
export function Notice({ title, words, tone = 'calm', children }: NoticeProps) {
  return (
    <Sheet
      title={title}
      head={
        <span class={`sign sign-${tone}`} aria-hidden="true">
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d={SIGNS[tone]} />
          </svg>
        </span>
      }
    >
      <p class="lead">{words}</p>
      {children}
    </Sheet>
  )
}

interface NoticeProps {
  title: string
  words: string
  tone?: Tone
  children?: ComponentChildren
}

/** The name that an owner knows an agent by, where it calls itself otherwise by now. */
export function LinkedAs({ name }: { name: string | null }) {
  if (name === null) return null
  return (
    <small>
      {text.called} <bdi>{name}</bdi> {text.whenYouLinkedIt}
    </small>
  )
}

/** No answer came. */
export function Unreached({ again }: { again: () => void }) {
  return (
    <Notice title={text.offlineTitle} words={text.offlineWords} tone="warn">
      <div class="actions">
        <Button onPress={again}>{text.again}</Button>
      </div>
    </Notice>
  )
}

export function Loading() {
  return (
    <main class="sheet" aria-busy="true">
      <h1 class="visually-hidden">{text.loading}</h1>
      <span class="bone bone-short" />
      <span class="bone" />
      <span class="bone" />
    </main>
  )
}

/** The first letter of a name, as a picture would be. */
export function Mark({ name }: { name: string }) {
  return (
    <span class="mark" aria-hidden="true">
      {[...name][0]?.toUpperCase() ?? '?'}
    </span>
  )
}

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

export function KeyIcon() {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="9" cy="7" r="3.4" />
      <path d="M3 20c0-4 2.6-6.6 6-6.6 1.2 0 2.2.3 3.1.8" />
      <circle cx="17.5" cy="12.5" r="2.6" />
      <path d="M17.5 15.1V21M17.5 18.6h2.2" />
    </svg>
  )
}

/** What went wrong, above the buttons; nothing when nothing did. */
export function Alert({ words }: { words: string }) {
  return (
    <p role="alert" class={words === '' ? 'alert alert-none' : 'alert'}>
      {words}
    </p>
  )
}

export function Field({ label, hint, problem, children, id }: FieldProps) {
  return (
    <div class={problem === undefined ? 'field' : 'field field-wrong'}>
      <label for={id}>{label}</label>
      {children}
      <p class="note" id={`${id}-note`} role={problem === undefined ? undefined : 'alert'}>
        {problem ?? hint ?? ''}
      </p>
    </div>
  )
}

interface FieldProps {
  id: string
  label: string
  hint?: string | undefined
  problem?: string | undefined
  children: ComponentChildren
}
