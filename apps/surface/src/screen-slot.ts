import { h } from './dom.ts'
import type { Screen } from './screen.ts'
import { settle } from './settle.ts'

/** Thrown into a call that waited for an interruption to end, when another screen was shown meanwhile. */
export class Replaced extends Error {
  override name = 'Replaced'
}

/** Where screens appear: one at a time, with at most one interruption over it that leaves it as it was. */
export interface ScreenSlot {
  element: HTMLElement
  show(screen: Screen): void
  /** Covers the screen until `again` is called; rejects with `Replaced` when another screen is shown. */
  interrupt(create: (again: () => void) => Screen): Promise<void>
}

/** An interruption that went because it was time to try again, and which of its buttons had the keyboard. */
interface Gone {
  title: string
  control: number
}

export function createScreenSlot(): ScreenSlot {
  const base = h('div', { class: 'screen' })
  const cover = h('div', { class: 'screen', hidden: true })
  const element = h('div', { class: 'screens' }, base, cover)
  let screen: Screen | null = null
  let uncover: ((error: Replaced | null) => void) | null = null
  let gone: Gone | null = null
  let isPressed = false
  // On the way down: the press itself may take the cover away.
  cover.addEventListener('click', () => (isPressed = true), { capture: true })

  const place = (where: HTMLElement, next: Screen) => {
    where.replaceChildren(next.element)
    settle(where)
    next.enter?.()
  }
  /** The same interruption again, by itself, is no news: the keyboard stays where it was, also at the way out beside it. */
  const focusCover = (from: Element | null) => {
    const isSame = gone !== null && gone.title === titleOf(cover)
    const isElsewhere = from !== document.body && !element.contains(from)
    if (!isSame) focusOn(headingOf(cover))
    else if (!isElsewhere) focusOn(controlsOf(cover)[gone?.control ?? -1] ?? headingOf(cover))
    gone = null
  }
  return {
    element,
    show(next) {
      uncover?.(new Replaced())
      screen?.leave?.()
      screen = next
      gone = null
      place(base, next)
      focusOn(headingOf(base))
    },
    interrupt(create) {
      uncover?.(new Replaced())
      const returnTo = document.activeElement
      return new Promise((resolve, reject) => {
        uncover = (error) => {
          uncover = null
          const left = document.activeElement
          const wasHere = left === document.body || cover.contains(left)
          // A cardholder who pressed for it hears what came of it.
          gone = isPressed ? null : { title: titleOf(cover), control: controlsOf(cover).indexOf(left) }
          over.leave?.()
          cover.replaceChildren()
          cover.hidden = true
          base.hidden = false
          settle(base)
          if (wasHere && returnTo instanceof HTMLElement && returnTo !== document.body) returnTo.focus()
          if (error) reject(error)
          else resolve()
        }
        const over = create(() => uncover?.(null))
        isPressed = false
        base.hidden = true
        cover.hidden = false
        place(cover, over)
        focusCover(returnTo)
      })
    },
  }
}

const headingOf = (where: HTMLElement) => where.querySelector('h1')
const titleOf = (where: HTMLElement) => headingOf(where)?.textContent ?? ''
const controlsOf = (where: HTMLElement): (Element | null)[] => [...where.querySelectorAll('button, a')]

/** A frame that has just loaded does not take the focus from the page around it. */
function focusOn(target: Element | null | undefined): void {
  if (document.hasFocus() && target instanceof HTMLElement) target.focus({ preventScroll: window.parent !== window })
}
