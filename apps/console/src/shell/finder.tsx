import type { FoundKind } from '@mintmark/contract/console'
import type { ConsoleFound } from '@mintmark/contract/wire/console'
import { get } from '@mintmark/ui/backend.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { cutId, kindOf, pageOf } from '../ids.ts'
import { go } from '../router.ts'
import { lossOf } from '../session.ts'
import { words } from '../text/shell/words.ts'

/** Typing has paused when so long no key was pressed. */
const PAUSE_MILLIS = 200
const LONGEST = 100

type Found = ConsoleFound['found'][number]
/** What is known of what was typed; undefined: it is asked for. */
interface Known {
  typed: string
  found?: readonly Found[]
  isLost?: boolean
}

/** Takes any id, and says what it is of before it is opened. */
export function Finder({ isAsked, onLeave }: { isAsked: boolean; onLeave: () => void }) {
  const [typed, setTyped] = useState('')
  const [known, setKnown] = useState<Known>({ typed: '' })
  const [chosen, setChosen] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const question = typed.trim()
  useKeys(() => input.current?.focus())
  useEffect(() => {
    if (isAsked) input.current?.focus()
  }, [isAsked])

  const ask = () => find(question).then(setKnown)
  useEffect(() => {
    setChosen(0)
    if (question === '') return
    const timer = setTimeout(() => void ask(), PAUSE_MILLIS)
    return () => clearTimeout(timer)
  }, [question])

  const shown = choices(question, known)
  function open(choice: Found | undefined): void {
    if (choice === undefined) {
      if (question !== '') void ask()
      return
    }
    setTyped('')
    setOpen(false)
    onLeave()
    go(pageOf(choice.kind, choice.id))
  }
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen((chosen + step + shown.length) % Math.max(shown.length, 1))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      open(shown[chosen])
    } else if (event.key === 'Escape') {
      setTyped('')
      setOpen(false)
      onLeave()
    }
  }

  const isListed = isOpen && question !== ''
  return (
    <search class="finder" onFocusOut={() => setOpen(false)}>
      <input
        ref={input}
        class="finder-input"
        type="text"
        role="combobox"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={LONGEST}
        aria-label={words.findLabel}
        aria-expanded={isListed}
        aria-controls="found"
        aria-activedescendant={isListed && shown.length > 0 ? `found-${chosen}` : undefined}
        placeholder={words.findHint}
        value={typed}
        onFocus={() => setOpen(true)}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
      />
      <span class="finder-keys" aria-hidden="true">
        {words.findKeys}
      </span>
      <div class="found" hidden={!isListed}>
        <div id="found" role="listbox" aria-label={words.findLabel}>
          {shown.map(({ kind, id }, index) => (
            <div
              key={id}
              id={`found-${index}`}
              class="found-one"
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onMouseDown={(event) => {
                event.preventDefault()
                open({ kind, id })
              }}
            >
              <b>{words.kinds[kind]}</b> <span class="mono">{cutId(id)}</span>
            </div>
          ))}
        </div>
        <p class="found-note" role="status">
          {noteOf(question, known, shown)}
        </p>
      </div>
    </search>
  )
}

async function find(typed: string): Promise<Known> {
  try {
    const { found } = await get<ConsoleFound>(`find?${new URLSearchParams({ q: typed })}`)
    return { typed, found }
  } catch (error) {
    lossOf(error)
    return { typed, isLost: true }
  }
}

/** What its first letters say is known before an answer comes; the answer then counts. */
function choices(question: string, { typed, found }: Known): readonly Found[] {
  if (typed === question && found !== undefined) return found
  const guess: FoundKind | null = kindOf(question)
  return guess === null ? [] : [{ kind: guess, id: question }]
}

function noteOf(question: string, { typed, found, isLost = false }: Known, shown: readonly Found[]): string {
  if (typed === question && isLost) return words.findFailed
  if (typed !== question || found === undefined) return words.finding
  return shown.length === 0 ? words.foundNone : words.found(shown.length)
}

/** From any place: Control and K, or Command and K. */
function useKeys(focus: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
