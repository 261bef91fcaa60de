import type { SignedIn, VisitOptions } from '@mintmark/contract/wire/owner'
import { post } from '@mintmark/ui/backend.ts'
import { usePasskey } from '@mintmark/ui/passkey.ts'
import { signal } from '@preact/signals'
import { word } from '../recovery/going.ts'
import { who, wordsFor } from '../session.tsx'
import { words as text } from '../text/arriving/words.ts'

// What the screens before the sign-in have in common: one act at a time, and what became of it.

/** Which screens: of a person who comes back, for the first time, on another device, or without their passkey. */
export type Way = 'back' | 'first' | 'device' | 'lost'
/** A recovery that this browser has begun goes on. */
export const way = signal<Way>(word.value === null ? 'back' : 'lost')
export const failure = signal('')
export const busy = signal(false)

export function go(to: Way): void {
  way.value = to
  failure.value = ''
}

/** True when it was done. What went wrong is said. */
export async function attempt(
  work: () => Promise<void>,
  refusals: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  if (busy.value) return false
  busy.value = true
  failure.value = ''
  try {
    await work()
    return true
  } catch (error) {
    failure.value = wordsFor(error, refusals)
    return false
  } finally {
    busy.value = false
  }
}

/** The owner is signed in: the page goes on where they came to. */
export function arrived(session: SignedIn): void {
  who.value = session
  go('back')
}

export const signIn = () =>
  attempt(async () => {
    const { visit, options } = await post<VisitOptions>('sign-in/options')
    arrived(await post<SignedIn>('sign-in', { visit, response: await usePasskey(options) }))
  }, text.signInRefusals)
