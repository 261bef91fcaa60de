/**
 * One call at a time: its outcome, a failure too, serves all who ask meanwhile and for so many milliseconds after it.
 */
export function remembered<T>(
  millis: number,
  work: () => Promise<T>,
  monotonicMillis: () => number = () => performance.now(),
): () => Promise<T> {
  let current: Promise<T> | null = null
  let staleAt = 0
  return () => {
    if (current === null || monotonicMillis() > staleAt) {
      staleAt = Number.POSITIVE_INFINITY
      current = work().finally(() => {
        staleAt = monotonicMillis() + millis
      })
    }
    return current
  }
}
