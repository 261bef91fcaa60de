import { button, whileBusy } from './button.ts'
import { h } from './dom.ts'
import { nodesOf } from './draw.tsx'
import { keyIcon } from './icons.tsx'
import type { Phrase } from './phrase.ts'
import type { ScreenHost } from './screen.ts'
import { text } from './text/text.ts'

/** Said only after a while: on the way to being seen the words would flicker. */
const EXPLAIN_AFTER_MILLIS = 1_200
/** A cardholder who has to scroll for it presses it after that. */
const SOON_MILLIS = 3_000

export interface ApproveButton {
  /** The button, and below it how it works, or why it does not work now. */
  element: HTMLElement
  /** To be called when `obstacle` may say something else. */
  refresh(): void
  /** Says what is approved now. */
  rename(label: Phrase): void
  isBusy(): boolean
  /** Another way to do it, under the same conditions. */
  press(work: () => Promise<void>): void
  /** The same as soon as it works, if that is soon: once. Null: not any more. */
  pressWhenReady(work: (() => Promise<void>) | null): void
  enter(host: Pick<ScreenHost, 'sight' | 'subjects'>): void
  leave(): void
}

export interface ApproveButtonOptions {
  label: Phrase
  /** Below it while it works. */
  how: string
  /** Why it must not work yet: words for it, or true where a moment's waiting needs none. */
  obstacle(): string | boolean
  approve(): Promise<void>
}

/** The button that approves: it works while it can be seen, with whom and how much, and nothing stands against it. */
export function createApproveButton({ label, how, obstacle, approve }: ApproveButtonOptions): ApproveButton {
  const words = text.approval
  let isSeen = () => false
  let stopWatching = () => {}
  let explain: ReturnType<typeof setTimeout> | undefined
  let waiting: (() => Promise<void>) | null = null
  let waitingUntil = 0
  const works = () => isSeen() && obstacle() === false
  // One element, so that its words stay beside each other, and are renamed also while the button says that it is busy.
  const name = h('span', {}, ...nodesOf(label))
  const element = button([keyIcon(), name], null)
  element.classList.add('button-approve')
  const isBusy = () => element.getAttribute('aria-busy') === 'true'
  const run = (isAllowed: () => boolean, way = approve) => {
    const work = async () => (isAllowed() ? way() : undefined)
    void whileBusy(element, work, words.busy).then(refresh)
  }
  element.addEventListener('click', () => run(works))
  const why = h('p', { class: 'hint hint-center', role: 'status' }, how)
  const refresh = () => {
    element.classList.toggle('button-waiting', !works())
    // One that comes into sight again while it is worked on takes no second press: a second dialog would answer what
    // the first one has.
    element.setAttribute('aria-disabled', String(isBusy() || !works()))
    clearTimeout(explain)
    if (waiting !== null && works()) return pressNow(waiting)
    const against = obstacle()
    if (typeof against === 'string') why.textContent = against
    else if (isSeen()) why.textContent = how
    else explain = setTimeout(() => why.replaceChildren(words.notSeen), EXPLAIN_AFTER_MILLIS)
  }
  const pressNow = (way: () => Promise<void>) => {
    waiting = null
    if (performance.now() < waitingUntil) run(works, way)
    else refresh()
  }
  return {
    element: h('div', { class: 'act' }, element, why),
    refresh,
    rename: (label) => name.replaceChildren(...h('span', {}, ...nodesOf(label)).childNodes),
    isBusy,
    press: (way) => run(works, way),
    pressWhenReady(way) {
      waiting = way
      waitingUntil = performance.now() + SOON_MILLIS
      refresh()
    },
    enter({ sight, subjects }) {
      // It must be in sight now. What it is about, who is paid and how much, has been: also on the screens before.
      isSeen = () => sight.isSeen(element) && subjects().every(sight.isKnown)
      sight.watch(element)
      const stopListening = sight.listen(refresh)
      stopWatching = () => {
        stopListening()
        sight.unwatch(element)
      }
      refresh()
    },
    leave() {
      waiting = null
      stopWatching()
      clearTimeout(explain)
    },
  }
}
