import { useEffect, useRef, useState } from 'preact/hooks'
import { signOut, who } from '../session.ts'
import { words } from '../text/shell/words.ts'
import { Finder } from './finder.tsx'

export function Logo() {
  return (
    <a class="logo" href="/" aria-label={words.product}>
      <span class="logo-mark" aria-hidden="true">
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 18V7l7 7 7-7v11" />
        </svg>
      </span>
      <span class="logo-name">{words.product}</span>
    </a>
  )
}

/** The account, the finder, the environment, and the person. */
export function Top() {
  const [isFinding, setFinding] = useState(false)
  if (!who.value) return null
  const { account } = who.value
  return (
    <div class={isFinding ? 'top top-finding' : 'top'}>
      <Logo />
      <span class="account">
        <bdi>{account.name}</bdi>
      </span>
      <Finder onLeave={() => setFinding(false)} isAsked={isFinding} />
      <span class={`environment environment-${account.environment}`}>{words.environments[account.environment]}</span>
      <button
        type="button"
        class="icon-button find-button"
        aria-label={words.find}
        aria-expanded={isFinding}
        onClick={() => setFinding(!isFinding)}
      >
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M11 4a7 7 0 1 0 0 14a7 7 0 1 0 0-14M20 20l-3.6-3.6" />
        </svg>
      </button>
      <Person />
    </div>
  )
}

function Person() {
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const close = (event: Event) => {
      if (event instanceof KeyboardEvent && event.key !== 'Escape') return
      if (event.type === 'pointerdown' && root.current?.contains(event.target as Node)) return
      if (event instanceof KeyboardEvent) button.current?.focus()
      setOpen(false)
    }
    for (const kind of ['keydown', 'pointerdown']) document.addEventListener(kind, close)
    return () => {
      for (const kind of ['keydown', 'pointerdown']) document.removeEventListener(kind, close)
    }
  }, [isOpen])
  if (!who.value) return null
  const { name, role } = who.value.person
  return (
    <div class="person" ref={root}>
      <button
        ref={button}
        type="button"
        class="person-button"
        aria-label={words.person(initials(name), name)}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span aria-hidden="true">{initials(name)}</span>
      </button>
      {isOpen && (
        <div class="person-menu">
          <p>
            <b>
              <bdi>{name}</bdi>
            </b>
            <span class="hint">{words.roles[role]}</span>
          </p>
          <a class="person-way" href="/me" onClick={() => setOpen(false)}>
            {words.nav.me}
          </a>
          {(['keys', 'team'] as const).map((page) => (
            <a key={page} class="person-way person-tab" href={`/${page}`} onClick={() => setOpen(false)}>
              {words.nav[page]}
            </a>
          ))}
          <button type="button" class="button button-secondary" onClick={() => void signOut()}>
            {words.signOut}
          </button>
        </div>
      )}
    </div>
  )
}

/** Two letters at most, as a picture would be. */
function initials(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => word.match(/[\p{L}\p{N}]/u)?.[0] ?? [])
  return letters.slice(0, 2).join('').toUpperCase() || '·'
}
