import type { ConsoleEntrance, ConsoleSignedIn } from '@mintmark/contract/wire/console'
import type { ConsoleVisit } from '@mintmark/contract/wire/console-people'
import { get, post, Refusal, Unreachable } from '@mintmark/ui/backend.ts'
import { NotUsed, Unusable, usePasskey } from '@mintmark/ui/passkey.ts'
import { signal } from '@preact/signals'
import { words } from './text/shell/words.ts'

/** Undefined: not known yet. Null: no person is signed in. */
export const who = signal<ConsoleSignedIn | null | undefined>(undefined)
/** How one may come in; undefined: not known yet. */
export const entrance = signal<ConsoleEntrance | undefined>(undefined)
/** The page has no way to its backend. */
export const offline = signal(false)
/** The session ended while the page was open: by its time, or elsewhere. */
export const hasEnded = signal(false)

export async function findOut(): Promise<void> {
  offline.value = false
  try {
    who.value = await get<ConsoleSignedIn>('session')
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) who.value = null
    else offline.value = true
  }
}

export async function readEntrance(): Promise<void> {
  offline.value = false
  try {
    entrance.value = await get<ConsoleEntrance>('entrance')
  } catch {
    offline.value = true
  }
}

/** The address stays, so one comes to what one wanted to see. */
export async function signInToDemo(): Promise<void> {
  arrived(await post<ConsoleSignedIn>('sign-in/demo'))
}

export async function signInByPasskey(): Promise<void> {
  const { visit, options } = await post<ConsoleVisit>('sign-in/options')
  arrived(await post<ConsoleSignedIn>('sign-in', { visit, response: await usePasskey(options) }))
}

export function arrived(signedIn: ConsoleSignedIn): void {
  who.value = signedIn
  hasEnded.value = false
}

export async function signOut(): Promise<void> {
  await post('sign-out').catch(() => undefined)
  hasEnded.value = false
  who.value = null
}

/** Why there is nothing to show. */
export type Lost = 'unknown' | 'unreachable' | 'no_rights' | 'broken' | 'signed_out'

export function lossOf(error: unknown): Lost {
  if (error instanceof Unreachable) return 'unreachable'
  if (!(error instanceof Refusal)) return 'broken'
  if (error.status === 401) {
    hasEnded.value = true
    who.value = null
    return 'signed_out'
  }
  if (error.status === 403) return 'no_rights'
  return error.status === 404 || error.status === 400 ? 'unknown' : 'broken'
}

/** What went wrong with an act, in words. */
export function wordsFor(error: unknown, refusals: Readonly<Record<string, string>> = {}): string {
  if (error instanceof NotUsed) return words.passkeyNotUsed
  if (error instanceof Unusable) return words.passkeyUnusable
  const lost = lossOf(error)
  if (error instanceof Refusal && lost !== 'signed_out') {
    if (error.status === 429) return words.tooOften
    const own = refusals[error.code]
    if (own !== undefined) return own
  }
  return words.acts[lost]
}
