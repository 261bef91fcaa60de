import { Button } from '@mintmark/ui/button.tsx'
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { text } from './text/words.ts'

export { Button }

/** What is said to screen readers without moving the focus. */
export const said = signal('')

/**
 * A page is one sheet with one heading, which takes the focus as it appears: a screen reader starts there. A moment
 * later the focus may be in a field that is typed into, and is not taken from there.
 */
export function Sheet({ title, children, wide = false, head }: SheetProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), [title])
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
