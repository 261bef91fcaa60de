/** Long enough that a click meant for something else, just before the button appeared, does not count. */
const SEEN_FOR_MILLIS = 500
const WHOLE = 0.95
/** However large its text is: a button beside no words at all approves nothing. */
const MIN_SHARE = 0.15
/**
 * How much of what is high the sentence is asked for with the button: a page around a frame shows bars of its own, and a person stops scrolling
 * somewhere near where both are in sight.
 */
const SURE = 0.5

/** The second version of IntersectionObserver, which also knows what covers an element or makes it see-through. */
interface VisibilityEntry extends IntersectionObserverEntry {
  isVisible?: boolean
}
interface VisibilityInit extends IntersectionObserverInit {
  trackVisibility?: boolean
  delay?: number
}

export interface VisibleGuard {
  ready(): boolean
  /** What is signed has changed: it is to be read before it is pressed. */
  renew(): void
  stop(): void
}

export interface Guarded {
  button: HTMLElement
  /** Says payee and amount, as they are signed, beside the button. */
  sentence: HTMLElement
  /** Payee and amount at the top of the sheet, which is drawn again with other terms. */
  above(): HTMLElement[]
}

/**
 * Against clickjacking: a hostile page may cover the frame or a part of it, make it transparent, cut it or move it under the pointer. `report`
 * hears whether for half a second without a break the button was seen whole, the sentence as far as there is room for it, and payee and amount
 * at the top were not covered. Those may be scrolled away: the sentence says them again.
 */
export function guardVisible(guarded: Guarded, embedded: boolean, report: (ready: boolean) => void): VisibleGuard {
  const { button, sentence } = guarded
  let above: HTMLElement[] = []
  let seenSince: number | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const ready = () => seenSince !== null && performance.now() - seenSince >= SEEN_FOR_MILLIS && !document.hidden
  const tell = () => report(ready())
  const set = (seen: boolean) => {
    if (seen === (seenSince !== null)) return
    clearTimeout(timer)
    seenSince = seen ? performance.now() : null
    if (seen) timer = setTimeout(tell, SEEN_FOR_MILLIS + 10)
    else tell()
  }
  const tracked = embedded && 'isVisible' in IntersectionObserverEntry.prototype
  const isClear = (entry: VisibilityEntry) => !tracked || entry.isVisible === true
  const latest = new Map<Element, VisibilityEntry>()
  const isShown = (element: HTMLElement, share: number) => {
    const entry = latest.get(element)
    return entry !== undefined && entry.intersectionRatio >= share && isClear(entry)
  }
  const isCovered = (element: HTMLElement) =>
    (latest.get(element)?.intersectionRatio ?? 0) >= WHOLE && !isShown(element, WHOLE)
  const look = () => {
    const isSaid = isShown(button, WHOLE) && isShown(sentence, shareOf(sentence, button, embedded))
    set(isSaid && !above.some(isCovered) && !document.hidden)
  }
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) latest.set(entry.target, entry)
    look()
  }, observerInit(tracked))
  const watch = () => {
    for (const element of above) observer.unobserve(element)
    above = guarded.above()
    for (const element of [button, sentence, ...above]) observer.observe(element)
  }
  watch()
  document.addEventListener('visibilitychange', look)
  return {
    ready,
    renew() {
      set(false)
      watch()
      look()
    },
    stop: () => {
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('visibilitychange', look)
    },
  }
}

/** With very large text, or in a low window, the sentence may be higher than what room there is beside the button. */
function shareOf(sentence: HTMLElement, button: HTMLElement, embedded: boolean): number {
  const room =
    SURE * (embedded ? screen.availHeight : innerHeight) -
    (button.getBoundingClientRect().bottom - sentence.getBoundingClientRect().bottom)
  return Math.min(WHOLE, Math.max(MIN_SHARE, (WHOLE * room) / sentence.offsetHeight))
}

function observerInit(tracked: boolean): VisibilityInit {
  const threshold = Array.from({ length: 21 }, (_, index) => index / 20)
  return tracked ? { threshold, trackVisibility: true, delay: 100 } : { threshold }
}
