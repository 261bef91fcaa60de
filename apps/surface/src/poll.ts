const FIRST_MILLIS = 300
const GROWTH = 1.4
const MAX_MILLIS = 2_000

/**
 * Asks again and again, slower each time, until an ask says true. Rests while the page is hidden and asks immediately
 * when it is seen again. Returns what stops it, also in the middle of an ask.
 */
export function poll(ask: (signal: AbortSignal) => Promise<boolean>): () => void {
  const stopping = new AbortController()
  const { signal } = stopping
  void (async () => {
    for (let pause = FIRST_MILLIS; !signal.aborted; pause = Math.min(pause * GROWTH, MAX_MILLIS)) {
      await wait(pause, signal)
      await untilVisible(signal)
      if (signal.aborted || (await ask(signal))) return
    }
  })()
  return () => stopping.abort()
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function untilVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal })
    signal.addEventListener('abort', () => resolve())
  })
}
