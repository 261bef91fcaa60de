import type { ComponentChildren } from 'preact'

/** What a person must read before anything else is done. Takes the words. */
export function Notice({ children }: { children: ComponentChildren }) {
  return (
    <p class="notice" role="note">
      {children}
    </p>
  )
}

/**
 * What went wrong without harm: one calm line, no cross. Takes what happened in a `title`, and what to do in the words.
 */
export function Quiet({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <p class="quiet-line" role="alert">
      <b>{title}</b> {children}
    </p>
  )
}

/** What was refused. It is there before it says anything, so that it is heard: takes the `words`, or null. */
export function Alert({ words }: { words: ComponentChildren }) {
  return (
    <p class="alert" role="alert" hidden={words === null}>
      {words}
    </p>
  )
}
