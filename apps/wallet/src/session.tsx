import type { SignedIn } from '@mintmark/contract/wire/owner'
import { get, post, Refusal, Unreachable } from '@mintmark/ui/backend.ts'
import { NotUsed } from '@mintmark/ui/passkey.ts'
import { signal } from '@preact/signals'
import { text } from './text/words.ts'

/** Undefined: not known yet. Null: no owner is signed in. */
export const who = signal<SignedIn | null | undefined>(undefined)
/** The page has no way to its backend. */
export const offline = signal(false)

export async function findOut(): Promise<void> {
  offline.value = false
  try {
    who.value = await get<SignedIn>('session')
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) who.value = null
    else offline.value = true
  }
}

export async function signOut(): Promise<void> {
  await post('sign-out').catch(() => undefined)
  who.value = null
}

/** What a failure means, in words. A session that is over leads to the sign-in. */
export function wordsFor(error: unknown, refusals: Readonly<Record<string, string>> = {}): string {
  if (error instanceof NotUsed) return text.passkeyNotUsed
  if (error instanceof Unreachable) return text.unreachable
  if (!(error instanceof Refusal)) return text.passkeyUnusable
  if (error.status === 401) {
    who.value = null
    return ''
  }
  if (error.status === 429) return text.tooOften
  return refusals[error.details.reason ?? ''] ?? refusals[error.code] ?? text.refusals[error.code] ?? text.failed
}
