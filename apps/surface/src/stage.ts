import { h } from './dom.ts'
import type { Screen } from './screen.ts'

/** Thrown into what waited for an interruption to end, when the page has gone on to another screen. */
export class Superseded extends Error {
  override name = 'Superseded'
}

/** Where screens appear: one at a time, with at most one interruption over it that leaves it as it was. */
export interface Stage {
  element: HTMLElement
  show(screen: Screen): void
  /** Covers the screen until `again` is called; rejects with `Superseded` when another screen is shown. */
  interrupt(create: (again: () => void) => Screen): Promise<void>
  current(): Screen | null
}

export function createStage(): Stage {
  const host = h('div', { class: 'screen' })
  const cover = h('div', { class: 'screen', hidden: true })
  let screen: Screen | null = null
  let uncover: ((error: Superseded | null) => void) | null = null

  const place = (where: HTMLElement, next: Screen) => {
    where.replaceChildren(next.element)
    next.enter?.()
    focusHeading(where)
  }
  return {
    element: h('div', { class: 'screens' }, host, cover),
    current: () => screen,
    show(next) {
      uncover?.(new Superseded())
      screen?.leave?.()
      screen = next
      place(host, next)
    },
    interrupt(create) {
      uncover?.(new Superseded())
      const returnTo = document.activeElement
      return new Promise((resolve, reject) => {
        uncover = (error) => {
          uncover = null
          over.leave?.()
          cover.replaceChildren()
          cover.hidden = true
          host.hidden = false
          if (returnTo instanceof HTMLElement && returnTo !== document.body) returnTo.focus()
          if (error) reject(error)
          else resolve()
        }
        const over = create(() => uncover?.(null))
        host.hidden = true
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
