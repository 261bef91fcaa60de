import type { AdvanceResponse } from '@mintmark/contract/wire/sandbox'
import { get, post } from '@mintmark/ui/backend.ts'
import { signal } from '@preact/signals'
import { readAgain } from '../reading.ts'

/** How far the sandbox's time is before that of this machine; undefined: not known yet. */
const ahead = signal<number | undefined>(undefined)

/** The sandbox's time now; undefined: not known yet. */
export const sandboxNow = (): number | undefined => (ahead.value === undefined ? undefined : Date.now() + ahead.value)

function take({ now }: AdvanceResponse): string {
  ahead.value = Date.parse(now) - Date.now()
  return now
}

export async function readClock(): Promise<void> {
  take(await get<AdvanceResponse>('sandbox/clock'))
}

/** Moves it forward, and has the page show how things stand then. Returns the time. */
export async function moveClock(seconds: number): Promise<string> {
  const now = take(await post<AdvanceResponse>('sandbox/clock', { seconds }))
  readAgain()
  return now
}
