import type { SurfaceView } from '@mintmark/contract/surface-api'
import { createCancelBar } from './cancel-bar.ts'
import { createCountdown } from './countdown.ts'
import { h } from './dom.ts'
import { lockIcon } from './icons.ts'
import { moneyText } from './money-text.ts'
import type { Screen } from './screen.ts'
import { createStage, type Stage } from './stage.ts'
import { summary } from './summary.ts'

/** What stays while screens come and go: the payment, the countdown, the way out. */
export interface Page {
  element: HTMLElement
  describe(view: SurfaceView): void
  show(screen: Screen): void
  interrupt: Stage['interrupt']
  warn(text: string): void
  say(text: string): void
}

export interface PageOptions {
  embedded: boolean
  now(): Date
  cancel(): Promise<void>
  timeOver(): void
}

export function createPage(root: HTMLElement, { embedded, now, cancel, timeOver }: PageOptions): Page {
  const stage = createStage()
  const live = h('p', { class: 'visually-hidden', role: 'status' })
  const say = (text: string) => {
    live.textContent = text
  }
  const countdown = createCountdown({ now, say, over: timeOver })
  const alert = h('p', { class: 'alert', role: 'alert', hidden: true })
  const cancelBar = h('div', { hidden: true }, createCancelBar(cancel))
  const trust = h('p', { class: 'trust', hidden: true }, lockIcon(), h('span', {}))
  const column = h('section', { class: 'stage' }, countdown.element, alert, stage.element, cancelBar, trust, live)
  const element = h('main', { class: 'page page-bare' }, column)
  document.documentElement.classList.toggle('embedded', embedded)

  const settle = (screen: Screen, view: SurfaceView | null) => {
    // Once approved there is nothing left to cancel.
    cancelBar.hidden = view === null || view.step === 'processing' || screen.final === true
    trust.hidden = view === null || screen.final === true
    if (screen.final) countdown.until(null)
  }
  // The skeleton that came with the page stays until there is something to show.
  const appear = () => {
    if (!element.isConnected) root.replaceChildren(element)
  }
  let current: SurfaceView | null = null
  return {
    element,
    say,
    warn(text) {
      alert.textContent = text
      alert.hidden = false
    },
    describe(view) {
      const isNew = current === null
      current = view
      const counted = view.step !== 'processing' && view.step !== 'done'
      countdown.until(counted ? new Date(view.expires_at) : null)
      tellFailure(alert, view)
      element.dataset.step = view.step
      if (!isNew) return
      element.classList.remove('page-bare')
      element.prepend(summary(view))
      document.title = `${moneyText(view.payment.amount, view.payment.currency)} · ${view.payment.merchant_name}`
      trust.lastElementChild?.replaceChildren(`Your card details never reach ${view.payment.merchant_name}.`)
    },
    show(screen) {
      appear()
      settle(screen, current)
      stage.show(screen)
    },
    interrupt(create) {
      appear()
      return stage.interrupt(create)
    },
  }
}

/** A step that failed and may be tried again, as the backend words it. The last screen says its reason itself. */
function tellFailure(alert: HTMLElement, { step, failure }: SurfaceView): void {
  alert.hidden = failure === null || step === 'done'
  alert.textContent = alert.hidden ? '' : (failure?.message ?? '')
}
