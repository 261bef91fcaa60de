import type { ComponentChildren } from 'preact'

/** The actor, or how it went: the picture says it too. */
export type Turn = 'yours' | 'good' | 'bad' | 'calm'

export interface Moment {
  key: string
  /** As the reader's zone has it, or since the first of them. */
  time: ComponentChildren
  /** The exact moment, ISO 8601. */
  at: string
  turn?: Turn
  /** An `Icon` or a `Sign`. */
  picture?: ComponentChildren
  what: ComponentChildren
  /** The actor, and by what means. */
  who: ComponentChildren
  /** How a developer finds it again: a route, an id. */
  reference?: ComponentChildren
  details?: ComponentChildren
}

/** What happened, one after the other. Takes a `label` and the `moments`, the first one first. */
export function Timeline({ label, moments }: { label: string; moments: readonly Moment[] }) {
  return (
    <ol class="timeline" aria-label={label}>
      {moments.map(({ key, time, at, turn = 'calm', picture, what, who, reference, details }) => (
        <li key={key} class={`moment moment-${turn}`}>
          <time class="moment-time" dateTime={at}>
            {time}
          </time>
          <span class="moment-dot" aria-hidden="true">
            {picture}
          </span>
          <div class="moment-words">
            <p class="moment-what">{what}</p>
            <p class="moment-who">{who}</p>
            {details}
          </div>
          {reference && <span class="moment-reference">{reference}</span>}
        </li>
      ))}
    </ol>
  )
}
