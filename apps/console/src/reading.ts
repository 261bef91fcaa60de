import { get } from '@mintmark/ui/backend.ts'
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { arrival } from './router.ts'
import { type Lost, lossOf } from './session.ts'

export const POLL_MILLIS = 10_000

const turns = signal(0)

/** Has the page show at once how all of it stands now. */
export function readAgain(): void {
  turns.value += 1
}

/** Reads again when that is asked for. */
export function useReadAgain(read: () => void): void {
  const turn = turns.value
  const seen = useRef(turn)
  useEffect(() => {
    if (seen.current === turn) return
    seen.current = turn
    read()
  }, [turn])
}

/** What was read last, by its path: who comes back finds it at once. */
const kept = new Map<string, unknown>()

/** The next person sees nothing of it. */
export const forgetAll = () => kept.clear()

export function keep<Value>(path: string, value: Value): void {
  kept.set(path, value)
}

export const keptAt = <Value>(path: string): Value | undefined =>
  arrival.value === 'back' ? (kept.get(path) as Value | undefined) : undefined

/** Asks again and again while the page is seen, and at once when it is seen again. */
export function usePolling(ask: () => Promise<void>, key: string): void {
  const latest = useRef(ask)
  latest.current = ask
  useEffect(() => {
    const turn = () => {
      if (document.visibilityState === 'visible') void latest.current()
    }
    const timer = setInterval(turn, POLL_MILLIS)
    document.addEventListener('visibilitychange', turn)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', turn)
    }
  }, [key])
}

interface Reading<Answer> {
  view: Answer | undefined
  lost: Lost | undefined
  /** What is shown has changed meanwhile. */
  isNewer: boolean
  /** The last question had no answer: what is shown may be old. */
  isStale: boolean
  /** Reads it again. */
  again: () => void
  /** Shows what has changed. */
  show: () => void
}

interface ReadingOptions<Answer> {
  /** Whether there is nothing new to be told. */
  saysSame?: (seen: Answer, fresh: Answer) => boolean
  /** Whether what changes is shown at once. */
  asItComes?: (seen: Answer) => boolean
}

export const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** What one page shows. What changes later is told and waits for a press, so that nothing moves that is being read. */
export function useReading<Answer>(
  path: string,
  { saysSame = isEqual, asItComes }: ReadingOptions<Answer> = {},
): Reading<Answer> {
  const [state, setState] = useState<ReadingState<Answer>>(() => ({ path, view: keptAt<Answer>(path) }))
  const present: ReadingState<Answer> = state.path === path ? state : { path, view: keptAt<Answer>(path) }
  const current = useRef(present)
  current.current = present
  const put = (next: Omit<ReadingState<Answer>, 'path'>) => {
    if (next.view !== undefined) keep(path, next.view)
    setState({ path, ...next })
  }

  async function read(isFirst: boolean): Promise<void> {
    try {
      const fresh = await get<Answer>(path)
      const { path: shown, view } = current.current
      if (shown !== path) return
      if (isFirst || view === undefined || asItComes?.(view)) put({ view: fresh })
      else put({ view, newer: saysSame(view, fresh) ? undefined : fresh })
    } catch (error) {
      const lost = lossOf(error)
      const { path: shown, view, newer } = current.current
      if (shown !== path) return
      if (view === undefined) put({ view, lost })
      else put({ view, newer, isStale: true })
    }
  }

  useEffect(() => void read(keptAt(path) === undefined), [path])
  usePolling(() => read(false), path)
  useReadAgain(() => void read(true))
  const { view, lost, newer, isStale = false } = present
  return {
    ...{ view, lost, isStale, isNewer: newer !== undefined },
    again() {
      setState({ path, view: undefined })
      void read(true)
    },
    show: () => newer !== undefined && put({ view: newer }),
  }
}

interface ReadingState<Answer> {
  path: string
  view: Answer | undefined
  lost?: Lost | undefined
  newer?: Answer | undefined
  isStale?: boolean
}
