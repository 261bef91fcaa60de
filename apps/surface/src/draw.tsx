import { Foreign } from '@mintmark/ui/foreign.tsx'
import { Written } from '@mintmark/ui/money.tsx'
import { type ComponentChildren, render } from 'preact'
import type { Phrase, Piece } from './phrase.ts'

/** An element with this in it. The element itself takes no room. */
export function draw(node: ComponentChildren, tag: 'div' | 'span' = 'div'): HTMLElement {
  const place = document.createElement(tag)
  place.className = 'drawn'
  render(node, place)
  return place
}

/** The same, to be drawn again when what it says has changed. */
export function drawing(node: () => ComponentChildren): { element: HTMLElement; again(): void } {
  const element = draw(node())
  return { element, again: () => render(node(), element) }
}

/**
 * Elements among components: what holds focus, timers or typed digits of its own is made once and never drawn again.
 */
export function Placed({ element }: { element: HTMLElement }) {
  const put = (place: HTMLElement | null) => {
    // Put there again it would lose the focus.
    if (place !== null && place.firstChild !== element) place.replaceChildren(element)
  }
  return <div class="drawn" ref={put} />
}

/** The same as nodes. */
export function nodesOf(phrase: Phrase): ChildNode[] {
  return [...draw(<Words phrase={phrase} />).childNodes]
}

/**
 * Words as they are drawn: what others wrote stands in a `bdi`, so that what is read is in the order it was signed in.
 */
export function Words({ phrase }: { phrase: Phrase }) {
  return typeof phrase === 'string' ? phrase : phrase.map(piece)
}

function piece(word: Piece, index: number) {
  if (typeof word === 'string') return word
  if ('together' in word) {
    return (
      <span class="together" key={index}>
        {word.together.map(piece)}
      </span>
    )
  }
  if ('code' in word) {
    return (
      <code dir="ltr" key={index}>
        {word.code}
      </code>
    )
  }
  return 'foreign' in word ? <Foreign text={word.foreign} key={index} /> : <Written amount={word.amount} key={index} />
}
