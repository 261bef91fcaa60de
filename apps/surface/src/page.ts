import type { SurfaceView } from '@mintmark/contract/wire/surface'
import { createCancelBar } from './cancel-bar.ts'
import { createCountdown } from './countdown.ts'
import { h, words } from './dom.ts'
import type { Flow } from './flows/flow.ts'
import { operatorLine } from './footer.ts'
import { lockIcon } from './icons.ts'
import { liveRegion, say } from './live.ts'
import { wear } from './look.ts'
import { partyHead } from './party.ts'
import type { Screen } from './screen.ts'
import { createScreenSlot, type ScreenSlot } from './screen-slot.ts'

/** What stays while screens come and go: the merchant and the way out, how much it is, the countdown, the operator. */
export interface Page {
  element: HTMLElement
  describe(view: SurfaceView, flow: Flow): void
  /** Counts to the end that this view says, and offers more time where it is to be had. */
  count(view: SurfaceView): void
  summarise(view: SurfaceView, flow: Flow): void
  show(screen: Screen): void
  interrupt: ScreenSlot['interrupt']
  warn(words: string): void
  say(words: string): void
  /** Payee and amount, which a guard watches. */
  headline(): HTMLElement[]
  /** Asks whether to leave; false where there is nothing to leave any more. */
  askToLeave(): boolean
}

export interface PageOptions {
  embedded: boolean
  now(): Date
  cancel(): Promise<void>
  timeOver(): void
  moreTime(): Promise<void>
}

export function createPage(root: HTMLElement, { embedded, now, cancel, timeOver, moreTime }: PageOptions): Page {
  const slot = createScreenSlot()
  const countdown = createCountdown({ now, say, over: timeOver, moreTime })
  const summary = h('div', { class: 'summary-place' })
  const alert = h('p', { class: 'alert', role: 'alert', hidden: true })
  const wayOut = h('div', { class: 'way-out', hidden: true })
  const party = h('header', { class: 'party' })
  const trust = h('p', { class: 'trust', hidden: true }, lockIcon(), h('span', {}))
  const column = h('section', { class: 'panel' }, countdown.element, alert, slot.element, trust, liveRegion())
  const element = h('main', { class: 'page page-bare' }, column)
  document.documentElement.classList.toggle('embedded', embedded)

  let title = document.title
  let askToLeave = (): void => {}
  const frame = (screen: Screen, view: SurfaceView | null) => {
    // Once approved there is nothing left to cancel.
    wayOut.hidden = view === null || view.step === 'processing' || screen.final === true
    trust.hidden = view === null || screen.final === true
    if (screen.final) countdown.until(null, null)
    // A cardholder who went to another tab meanwhile, for the bank's code or to wait, sees there how it ended.
    const end = screen.final ? screen.element.querySelector('h1')?.textContent : null
    document.title = end ? `${end} · ${title}` : title
  }
  // The skeleton that came with the page stays until there is something to show.
  const appear = () => {
    if (!element.isConnected) root.replaceChildren(element)
  }
  const introduce = (view: SurfaceView, flow: Flow) => {
    wear(view.merchant.brand)
    element.classList.remove('page-bare')
    element.prepend(party, summary)
    element.append(h('footer', { class: 'footer' }, operatorLine(view.operator)))
    party.replaceChildren(...partyHead(flow.payee(view), view), wayOut)
    title = flow.title(view)
    trust.lastElementChild?.replaceChildren(h('span', {}, ...words(flow.trust(view))))
    const bar = createCancelBar(flow.words.cancel, cancel)
    wayOut.replaceChildren(bar.element)
    askToLeave = bar.ask
  }
  let summarised: string | null = null
  /** Only where it says something else: a list that was opened stays open. */
  const summarise = (view: SurfaceView, flow: Flow) => {
    const next = flow.summary(view)
    if (next.textContent === summarised) return
    summarised = next.textContent
    summary.replaceChildren(next)
  }
  const count = ({ step, expires_at, more_time_from: from }: SurfaceView) => {
    if (step === 'processing' || step === 'done') countdown.until(null, null)
    else countdown.until(new Date(expires_at), from === undefined ? null : new Date(from))
  }
  let current: SurfaceView | null = null
  return {
    element,
    say,
    summarise,
    count,
    headline: () => [...element.querySelectorAll<HTMLElement>('.party-name, .amount')],
    askToLeave() {
      if (!wayOut.hidden) askToLeave()
      return !wayOut.hidden
    },
    warn(message) {
      alert.textContent = message
      alert.hidden = false
    },
    describe(view, flow) {
      const isNew = current === null
      current = view
      count(view)
      // The last screen says its reason itself.
      const failure = view.step === 'done' ? null : flow.failure(view)
      alert.hidden = failure === null
      alert.textContent = failure ?? ''
      element.dataset.step = view.step
      summarise(view, flow)
      if (isNew) introduce(view, flow)
    },
    show(screen) {
      appear()
      frame(screen, current)
      slot.show(screen)
    },
    interrupt(create) {
      appear()
      return slot.interrupt(create)
    },
  }
}
