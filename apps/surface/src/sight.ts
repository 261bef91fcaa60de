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

/**
 * What of the page has been seen. Against clickjacking: a hostile page may cover the frame, make it transparent or move
 * it under the pointer.
 */
export interface Sight {
  watch(...elements: Element[]): void
  unwatch(element: Element): void
  /** All of it is in sight, and has been for half a second without a break. */
  isSeen(element: Element): boolean
  /** It was seen so at some time since it is watched, and has not been covered since. */
  isKnown(element: Element): boolean
  /** Calls the listener when either may have changed; returns what ends that. */
  listen(listener: () => void): () => void
}

export function createSight(isEmbedded: boolean): Sight {
  const isTracked = isEmbedded && 'isVisible' in IntersectionObserverEntry.prototype
  const watched = new Set<Element>()
  /** What is in the window, whole and not covered. */
  const inView = new Set<Element>()
  const seenSince = new Map<Element, number>()
  const known = new Set<Element>()
  const listeners = new Set<() => void>()
  const isSeen = (element: Element) => {
    const since = seenSince.get(element)
    return since !== undefined && performance.now() - since >= SEEN_FOR_MILLIS && !document.hidden
  }
  const measure = () => {
    for (const element of watched) if (isSeen(element)) known.add(element)
    for (const listener of listeners) listener()
  }
  const follow = (element: Element) => {
    const isInSight = inView.has(element) && !document.hidden
    if (isInSight === seenSince.has(element)) return
    if (!isInSight) seenSince.delete(element)
    else {
      seenSince.set(element, performance.now())
      setTimeout(measure, SEEN_FOR_MILLIS + 10)
    }
    measure()
  }
  const observer = new IntersectionObserver((entries: VisibilityEntry[]) => {
    for (const { target, intersectionRatio, isVisible } of entries) {
      const isWhole = intersectionRatio > 0.95
      // `isVisible` is also false when tracking was not asked for.
      const isCovered = isTracked && isWhole && isVisible !== true
      if (isCovered) known.delete(target)
      if (isWhole && !isCovered) inView.add(target)
      else inView.delete(target)
      follow(target)
    }
  }, observerInit(isTracked))
  document.addEventListener('visibilitychange', () => watched.forEach(follow))
  return {
    isSeen,
    isKnown: (element) => known.has(element),
    watch(...elements) {
      for (const element of elements) {
        watched.add(element)
        observer.observe(element)
      }
    },
    unwatch(element) {
      observer.unobserve(element)
      for (const all of [watched, inView, known]) all.delete(element)
      seenSince.delete(element)
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function observerInit(isTracked: boolean): VisibilityInit {
  const threshold = [0, 0.5, 0.96, 1]
  return isTracked ? { threshold, trackVisibility: true, delay: 100 } : { threshold }
}
