import { get, Refusal } from '@mintmark/ui/backend.ts'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { wordsFor } from '../session.tsx'

export type Lost = 'unknown' | 'unreachable'

/** What one page reads: undefined while it is on its way. The later one of two readings counts. */
export function reading<Answer>() {
  const view = signal<Answer | undefined>(undefined)
  const lost = signal<Lost | undefined>(undefined)
  let latest = 0

  async function refresh(path: string): Promise<void> {
    latest += 1
    const mine = latest
    lost.value = undefined
    try {
      const answer = await get<Answer>(path)
      if (mine === latest) view.value = answer
    } catch (error) {
      if (mine !== latest) return
      if (error instanceof Refusal && error.status === 404) lost.value = 'unknown'
      else if (wordsFor(error) !== '') lost.value = 'unreachable'
    }
  }

  return {
    view,
    lost,
    refresh,
    /** Reads it when the page appears, and again when the path is another one. */
    use(path: string): void {
      useEffect(() => {
        void refresh(path)
      }, [path])
    },
  }
}

/** A list that goes on, page after page. */
export function paging<Item>() {
  const items = signal<readonly Item[]>([])
  const isBusy = signal(false)
  const next = signal<string | null>(null)
  let list = 0
  return {
    items,
    isBusy,
    next,
    /** Another list: what is still on its way for the one before is dropped. */
    begin(first: readonly Item[], following: string | null): void {
      list += 1
      items.value = first
      next.value = following
      isBusy.value = false
    },
    /** True when it went on. */
    async more(
      read: (before: string) => Promise<{ found: readonly Item[]; following: string | null }>,
    ): Promise<boolean> {
      if (isBusy.value || next.value === null) return false
      const mine = list
      isBusy.value = true
      try {
        const { found, following } = await read(next.value)
        if (mine !== list) return false
        items.value = [...items.value, ...found]
        next.value = following
        return true
      } catch (error) {
        // What is shown stays; the button is there to press again.
        wordsFor(error)
        return false
      } finally {
        if (mine === list) isBusy.value = false
      }
    },
  }
}
