import { Sign } from '@mintmark/ui/signs.tsx'
import { useEffect, useRef, useState } from 'preact/hooks'
import { cutId } from '../ids.ts'
import { words } from '../text/shell/words.ts'
import { said } from './page.tsx'

const SHOWN_MILLIS = 2_000

/** Copies at a press, and says so for a moment. Where the browser does not let it, what is to be copied is marked. */
function useCopy(): { isCopied: boolean; copy: (text: string, shown?: Element | null) => Promise<void> } {
  const [isCopied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  async function copy(text: string, shown: Element | null = null): Promise<void> {
    said.value = ''
    try {
      await navigator.clipboard.writeText(text)
      said.value = words.copied
      setCopied(true)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => setCopied(false), SHOWN_MILLIS)
    } catch {
      said.value = words.notCopied
      if (shown !== null) getSelection()?.selectAllChildren(shown)
    }
  }
  return { isCopied, copy }
}

/** An id, cut in its middle. It leads to all of the thing where there is more of it, and one press copies all of it. */
export function Id({ id, href, of = id }: { id: string; href?: string | undefined; of?: string }) {
  const { isCopied, copy } = useCopy()
  const whole = useRef<HTMLSpanElement>(null)
  const cut = <span class="mono">{cutId(id)}</span>
  return (
    <span class="id" title={id}>
      <span ref={whole}>{href === undefined ? cut : <a href={href}>{cut}</a>}</span>
      <button
        type="button"
        class="icon-button"
        aria-label={words.copyOf(of)}
        onClick={() => void copy(id, whole.current)}
      >
        {isCopied ? <span class="copied">{words.copied}</span> : <Sign name="copy" />}
      </button>
    </span>
  )
}

/** What stands for the key in lines that need it. */
const KEY = 'Bearer $KEY'

/** A line for a shell, and a press that copies it. */
export function CodeLine({ line, label }: { line: string; label: string }) {
  const { isCopied, copy } = useCopy()
  const code = useRef<HTMLElement>(null)
  return (
    <div class="code-line">
      <pre>
        <code ref={code}>{line}</code>
      </pre>
      <button type="button" class="button button-secondary" onClick={() => void copy(line, code.current)}>
        <Sign name="copy" /> {isCopied ? words.copied : words.copy}
        <span class="visually-hidden"> {label}</span>
      </button>
      {line.includes(KEY) && <p class="hint">{words.codeWords}</p>}
    </div>
  )
}

/** A press that copies what is not shown. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { isCopied, copy } = useCopy()
  return (
    <button type="button" class="button button-secondary" onClick={() => void copy(text)}>
      <Sign name="copy" /> {isCopied ? words.copied : label}
    </button>
  )
}
