import { button, whileBusy } from './button.ts'
import { words as asNodes, h } from './dom.ts'
import type { Phrase } from './phrase.ts'
import { text } from './text/text.ts'
import { type Guarded, guardVisible, type VisibleGuard } from './visible-guard.ts'

/** Said only after a while: on the way to being seen the words would flicker. */
const EXPLAIN_AFTER_MILLIS = 1_200

export interface ApproveButton {
  element: HTMLButtonElement
  /** Below it: how it works, or why it does not work now. */
  why: HTMLElement
  /** To be called when `obstacle` may say something else. */
  refresh(): void
  /** Says what is approved now, which is to be read before it is pressed. */
  rename(label: Phrase): void
  isBusy(): boolean
  enter(beside: Omit<Guarded, 'button'>, embedded: boolean): void
  leave(): void
}

export interface ApproveButtonOptions {
  label: Phrase
  /** Why it must not work yet: words for it, or true where a moment's waiting needs none. */
  obstacle(): string | boolean
  approve(): Promise<void>
}

/** The button that approves: it works while it and what is signed can be seen, and nothing stands against it. */
export function createApproveButton({ label, obstacle, approve }: ApproveButtonOptions): ApproveButton {
  const words = text.approval
  let guard: VisibleGuard | null = null
  let explain: ReturnType<typeof setTimeout> | undefined
  const isSeen = () => guard?.ready() ?? false
  const works = () => isSeen() && obstacle() === false
  // One element, so that its words stay beside each other, and are renamed also while the button says that it is busy.
  const name = h('span', {}, ...asNodes(label))
  const element = button(name, null)
  const isBusy = () => element.getAttribute('aria-busy') === 'true'
  element.addEventListener('click', () => {
    const work = async () => (works() ? approve() : undefined)
    void whileBusy(element, work, words.busy).then(refresh)
  })
  const why = h('p', { class: 'hint hint-center', role: 'status' }, words.how)
  const refresh = () => {
    element.classList.toggle('button-waiting', !works())
    // One that comes into sight again while it is worked on takes no second press: a second dialog would answer what the first one has.
    element.setAttribute('aria-disabled', String(isBusy() || !works()))
    clearTimeout(explain)
    const against = obstacle()
    if (typeof against === 'string') why.textContent = against
    else if (isSeen()) why.textContent = words.how
    else explain = setTimeout(() => why.replaceChildren(words.notSeen), EXPLAIN_AFTER_MILLIS)
  }
  return {
    element,
    why,
    refresh,
    rename(label) {
      name.replaceChildren(...h('span', {}, ...asNodes(label)).childNodes)
      guard?.renew()
    },
    isBusy,
    enter(beside, embedded) {
      guard = guardVisible({ button: element, ...beside }, embedded, refresh)
      refresh()
    },
    leave() {
      guard?.stop()
      clearTimeout(explain)
    },
  }
}
