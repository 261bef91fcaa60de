import { get } from '@mintmark/ui/backend.ts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { addedTo, countNew, freshened } from './list-rules.ts'
import { keep, keptAt, usePolling, useReadAgain } from './reading.ts'
import { type Lost, lossOf } from './session.ts'

/** Where a list comes from, and how its pages follow each other. */
export interface ListSource<Item, Answer> {
  /** Below `/api/`. */
  path: string
  /** The path, and what else is looked for: another one is another list. */
  key: string
  /** The name of the parameter by which the next page is asked for. */
  after: 'before' | 'cursor'
  itemsOf(answer: Answer): readonly Item[]
  nextOf(answer: Answer): string | null
  idOf(item: Item): string
  /** What is looked for among them, where the backend does not know it. */
  isWanted?(item: Item): boolean
}

interface Pages<Item, Answer> {
  path: string
  /** Undefined: the first page is on its way. */
  items: readonly Item[] | undefined
  next: string | null
  /** The first page as it came last. */
  first: Answer | undefined
  lost?: Lost | undefined
  newer: number
  isBusy: boolean
  /** The last question had no answer. */
  isStale: boolean
}

const NONE = { items: undefined, next: null, first: undefined, newer: 0, isBusy: false, isStale: false } as const

/** So many are looked for at a press, in so many questions at most: what is rare may lie far back. */
const ENOUGH = 20
const MAX_TURNS = 10

/** A list that goes on at a press. What is new is counted, and shown at a press; what is shown changes in place. */
export function useList<Item, Answer>(source: ListSource<Item, Answer>) {
  const { key } = source
  const fresh = () => keptAt<Pages<Item, Answer>>(key) ?? { path: key, ...NONE }
  const [state, setState] = useState(fresh)
  const present = state.path === key ? state : fresh()
  const current = useRef(present)
  current.current = present
  const put = (changes: Partial<Pages<Item, Answer>>) => {
    if (current.current.path !== key) return
    current.current = { ...current.current, ...changes }
    keep(key, current.current)
    setState(current.current)
  }
  const wanted = (answer: Answer) => source.itemsOf(answer).filter((item) => source.isWanted?.(item) ?? true)

  async function readFirst(isShownMeanwhile = false): Promise<void> {
    put(isShownMeanwhile ? { isBusy: true } : { ...NONE })
    try {
      const first = await get<Answer>(source.path)
      put({ ...NONE, first, items: wanted(first), next: source.nextOf(first) })
      await fill()
    } catch (error) {
      put({ ...NONE, lost: lossOf(error) })
    }
  }

  /** True when it went on. */
  async function readNext(): Promise<boolean> {
    const { next, items = [] } = current.current
    if (next === null || current.current.path !== key) return false
    const answer = await get<Answer>(addedTo(source.path, source.after, next))
    put({ items: [...items, ...wanted(answer)], next: source.nextOf(answer) })
    return true
  }

  async function fill(): Promise<void> {
    for (let turn = 0; turn < MAX_TURNS && (current.current.items?.length ?? 0) < ENOUGH; turn += 1) {
      if (!(await readNext())) return
    }
  }

  async function more(): Promise<void> {
    if (current.current.isBusy) return
    put({ isBusy: true })
    try {
      if (await readNext()) await fill()
      put({ isStale: false })
    } catch (error) {
      put({ isStale: lossOf(error) !== 'signed_out' })
    } finally {
      put({ isBusy: false })
    }
  }

  async function poll(): Promise<void> {
    const { items, isBusy } = current.current
    if (items === undefined || isBusy) return
    try {
      const first = await get<Answer>(source.path)
      const found = wanted(first)
      const shown = current.current.items ?? []
      put({ first, items: freshened(shown, found, source.idOf), newer: countNew(shown, found, source.idOf) })
      put({ isStale: false })
    } catch (error) {
      put({ isStale: lossOf(error) !== 'signed_out' })
    }
  }

  useEffect(() => void (current.current.items === undefined ? readFirst() : poll()), [key])
  usePolling(poll, key)
  useReadAgain(() => void readFirst(true))
  return { ...present, more: () => void more(), again: () => void readFirst(), show: () => void readFirst(true) }
}
