import type { SignedIn, VisitOptions } from '@mintmark/contract/wire/owner'
import { signal } from '@preact/signals'
import { get, post, Refusal, Unreachable } from './backend.ts'
import { makePasskey, NotUsed, usePasskey } from './passkey.ts'
import { text } from './text/en.ts'
import { Alert, Button, Field, KeyIcon, Sheet } from './ui.tsx'

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
  // The owner did not type what a passkey gives: words about a form would be wrong.
  if (error.code === 'VAL_2001' && Object.keys(error.details).some((path) => /^response(?:\.|$)/.test(path))) {
    return text.passkeyRefused
  }
  if (error.code === 'PASSKEY_FAILED') return text.passkeyReasons[error.details.reason ?? ''] ?? text.passkeyRefused
  return refusals[error.code] ?? text.refusals[error.code] ?? text.failed
}

const isNew = signal(false)
const name = signal('')
const problem = signal<string | undefined>(undefined)
const failure = signal('')
const busy = signal(false)

async function attempt(work: () => Promise<SignedIn>): Promise<void> {
  if (busy.value) return
  busy.value = true
  failure.value = ''
  try {
    who.value = await work()
    isNew.value = false
  } catch (error) {
    failure.value = wordsFor(error)
  } finally {
    busy.value = false
  }
}

const signIn = () =>
  attempt(async () => {
    const { visit, options } = await post<VisitOptions>('sign-in/options')
    return post<SignedIn>('sign-in', { visit, response: await usePasskey(options) })
  })

async function register(): Promise<void> {
  const given = name.value.trim()
  problem.value = given === '' ? text.nameNeeded : undefined
  if (problem.value !== undefined) return document.getElementById('name')?.focus()
  await attempt(async () => {
    const { visit, options } = await post<VisitOptions>('owners/options', { name: given })
    return post<SignedIn>('owners', { visit, name: given, response: await makePasskey(options) })
  })
}

function toggle(to: boolean): void {
  isNew.value = to
  failure.value = ''
}

export function SignIn({ why }: { why: string }) {
  return isNew.value ? <FirstTime /> : <Returning why={why} />
}

function Returning({ why }: { why: string }) {
  return (
    <Sheet title={text.signInTitle}>
      <p class="lead">{why}</p>
      <Alert words={failure.value} />
      <div class="actions">
        <Button busy={busy.value} onPress={() => void signIn()}>
          <KeyIcon /> {text.signIn}
        </Button>
        <Button kind="secondary" onPress={() => toggle(true)}>
          {text.firstTime}
        </Button>
      </div>
      <p class="foot">{text.confirms}</p>
    </Sheet>
  )
}

function FirstTime() {
  return (
    <Sheet title={text.firstTitle}>
      <p class="lead">{text.firstWords}</p>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void register()
        }}
      >
        <Field id="name" label={text.name} hint={text.nameHint} problem={problem.value}>
          <input
            id="name"
            maxLength={64}
            autoComplete="name"
            value={name.value}
            aria-invalid={problem.value !== undefined}
            aria-describedby="name-note"
            onInput={(event) => {
              name.value = event.currentTarget.value
              problem.value = undefined
            }}
          />
        </Field>
        <Alert words={failure.value} />
        <div class="actions">
          <Button submit busy={busy.value}>
            <KeyIcon /> {text.createPasskey}
          </Button>
          <Button kind="secondary" onPress={() => toggle(false)}>
            {text.haveOne}
          </Button>
        </div>
      </form>
      <p class="foot">{text.confirms}</p>
    </Sheet>
  )
}
