import type { RecoveryBegun, RecoveryStanding } from '@mintmark/contract/wire/recovery'
import { post, Refusal } from '@mintmark/ui/backend.ts'
import { signal } from '@preact/signals'
import { day, time } from '../money.ts'

// The recovery that this browser has begun. Its word stays in the browser: it waits for a day.

const KEY = 'recovery'

export const word = signal<string | null>(localStorage.getItem(KEY))
/** Undefined: not known yet. Null: it is over. */
export const standing = signal<RecoveryStanding | null | undefined>(undefined)

export function remember(given: string | null): void {
  word.value = given
  standing.value = undefined
  if (given === null) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, given)
}

/** Asks how it stands. What cannot be reached is asked again. */
export async function refresh(): Promise<void> {
  if (word.value === null) return
  try {
    standing.value = await post<RecoveryStanding>('recovery/standing', { recovery: word.value })
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 400) throw error
    standing.value = null
  }
}

/** False: the owner has no card to prove. */
export async function startRecovery(visit: string): Promise<boolean> {
  const { recovery } = await post<RecoveryBegun>('recovery', { visit })
  if (recovery === null) return false
  remember(recovery)
  await refresh()
  return true
}

export const moment = (iso: string) => `${day(iso)}, ${time(iso)}`
