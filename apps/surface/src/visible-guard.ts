/** Long enough that a click meant for something else, just before the button appeared, does not count. */
const SEEN_FOR_MILLIS = 500

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
  stop(): void
}

/**
 * Against clickjacking: a hostile page may cover the frame, make it transparent or move it under the pointer. `report`
 * hears whether the element has been seen whole for half a second without a break.
 */
export function guardVisible(element: HTMLElement, embedded: boolean, report: (ready: boolean) => void): VisibleGuard {
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
  let inView = false
  const look = () => set(inView && !document.hidden)
  const observer = new IntersectionObserver((entries) => {
    const entry: VisibilityEntry | undefined = entries.at(-1)
    // `isVisible` is also false when tracking was not asked for.
    inView = entry !== undefined && entry.intersectionRatio > 0.95 && (!tracked || entry.isVisible === true)
    look()
  }, observerInit(tracked))
  observer.observe(element)
  document.addEventListener('visibilitychange', look)
  return {
    ready,
    stop: () => {
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('visibilitychange', look)
    },
  }
}

function observerInit(tracked: boolean): VisibilityInit {
  const threshold = [0, 0.5, 0.96, 1]
  return tracked ? { threshold, trackVisibility: true, delay: 100 } : { threshold }
}
