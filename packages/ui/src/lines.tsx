import type { ComponentChildren } from 'preact'
import { Icon } from './icons.tsx'

/** What is said openly of a list: who wants to read the rest opens it in place. */
const OPEN_LINES = 3

export interface Line {
  key: string
  name: ComponentChildren
  amount: ComponentChildren
}

interface Rest {
  words: ComponentChildren
  amount: ComponentChildren
}

/**
 * Lines of a bill. More than three fold: two stand open, and one line stands for the others, with what they come to.
 */
export function Lines({ lines, rest }: { lines: readonly Line[]; rest: (shown: number) => Rest }) {
  if (lines.length === 0) return null
  if (lines.length <= OPEN_LINES) return <LineList lines={lines} />
  const shown = OPEN_LINES - 1
  const { words, amount } = rest(shown)
  return (
    <div class="lines-folded">
      <LineList lines={lines.slice(0, shown)} />
      <details class="more">
        <summary>
          <span class="more-words">{words}</span>
          <span class="line-amount">{amount}</span>
        </summary>
        <LineList lines={lines.slice(shown)} />
      </details>
    </div>
  )
}

function LineList({ lines }: { lines: readonly Line[] }) {
  return (
    <ul class="lines">
      {lines.map(({ key, name, amount }) => (
        <li class="line" key={key}>
          <span class="line-name">{name}</span>
          <span class="line-amount">{amount}</span>
        </li>
      ))}
    </ul>
  )
}

export interface Fact {
  key: string
  words: ComponentChildren
  /** Something that is never allowed. */
  isNever?: boolean
  /** Where it is done. */
  href?: string | undefined
}

/** What is allowed, and what never is. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  if (facts.length === 0) return null
  return (
    <ul class="facts">
      {facts.map(({ key, words, isNever = false, href }) => (
        <li class={isNever ? 'fact fact-never' : 'fact'} key={key}>
          <Icon name={isNever ? 'cross' : 'check'} />
          {href === undefined ? (
            <span>{words}</span>
          ) : (
            <a href={href} target="_blank" rel="noopener">
              {words}
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}

export interface Row {
  label: string
  value: ComponentChildren
  items?: readonly ComponentChildren[]
}

/** Labels and what they say; a row of several things is a list. */
export function Rows({ rows }: { rows: readonly Row[] }) {
  return (
    <dl class="terms">
      {rows.map(({ label, value, items = [] }) => (
        <div class="term" key={label}>
          <dt>{label}</dt>
          <dd>
            {value}
            {items.length > 0 && (
              <ul class="term-items">
                {items.map((item, index) => (
                  <li key={index}>{item}</li>
                ))}
              </ul>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
