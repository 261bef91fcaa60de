import type { ComponentChildren } from 'preact'

/**
 * What others wrote: a name, a place, an order. It stands apart, so that its direction turns nothing around it.
 * Takes the `text` as they wrote it.
 */
export function Foreign({ text }: { text: string }) {
  return <bdi dir="auto">{breakable(text)}</bdi>
}

/** The name of a place has no blanks: it may go on in the next line after a dot. Its text stays the same. */
function breakable(text: string): ComponentChildren {
  if (/\s/.test(text)) return text
  return text.split('.').flatMap((part, index) => (index === 0 ? [part] : ['.', <wbr key={index} />, part]))
}
