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

export function createScreenSlot(): ScreenSlot {
  const base = h('div', { class: 'screen' })
  const cover = h('div', { class: 'screen', hidden: true })
  let screen: Screen | null = null
  let uncover: ((error: Replaced | null) => void) | null = null

  const place = (where: HTMLElement, next: Screen) => {
    where.replaceChildren(next.element)
    settle(where)
    next.enter?.()
    focusHeading(where)
  }
  return {
    element: h('div', { class: 'screens' }, base, cover),
    show(next) {
      uncover?.(new Replaced())
      screen?.leave?.()
      screen = next
      place(base, next)
    },
    interrupt(create) {
      uncover?.(new Replaced())
      const returnTo = document.activeElement
      return new Promise((resolve, reject) => {
        uncover = (error) => {
          uncover = null
          over.leave?.()
          cover.replaceChildren()
          cover.hidden = true
          base.hidden = false
          settle(base)
          if (returnTo instanceof HTMLElement && returnTo !== document.body) returnTo.focus()
          if (error) reject(error)
          else resolve()
        }
        const over = create(() => uncover?.(null))
        base.hidden = true
        cover.hidden = false
        place(cover, over)
      })
    },
  }
}

/** A frame that has just loaded does not take the focus from the page around it. */
function focusHeading(where: HTMLElement): void {
  if (!document.hasFocus()) return
  const target = where.querySelector('h1')
  target?.focus({ preventScroll: window.parent !== window })
}
