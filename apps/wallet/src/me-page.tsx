import type { OwnerSessions } from '@mintmark/contract/wire/owner'
import { get, post } from '@mintmark/ui/backend.ts'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { day, time } from './money.ts'
import { signOut, who, wordsFor } from './session.tsx'
import { words as me } from './text/me/words.ts'
import { text } from './text/words.ts'
import { Alert, Button, Loading, Sheet, said, Unreached } from './ui.tsx'

type Session = OwnerSessions['sessions'][number]

const sessions = signal<readonly Session[] | undefined>(undefined)
const isLost = signal(false)
const failure = signal('')
/** What is under way: a session by its name, or all of them. */
const busy = signal<string | undefined>(undefined)
const isAsking = signal(false)

async function refresh(): Promise<void> {
  isLost.value = false
  try {
    sessions.value = (await get<OwnerSessions>('sessions')).sessions
  } catch (error) {
    isLost.value = wordsFor(error) !== ''
  }
}

/** Shows where the owner is signed in. To end it takes nothing but a press: they come back with the passkey. */
export function MePage() {
  useEffect(() => void refresh(), [])
  if (isLost.value) return <Unreached again={() => void refresh()} />
  if (sessions.value === undefined) return <Loading />
  return (
    <Sheet wide title={text.meTitle}>
      <p class="lead">{text.meWords}</p>
      <Alert words={failure.value} />
      <ul class="agents">
        {sessions.value.map((session) => (
          <Listed key={session.session_id} session={session} />
        ))}
      </ul>
      {isAsking.value ? <ConfirmAll /> : <Ways />}
    </Sheet>
  )
}

function Listed({ session }: { session: Session }) {
  const { session_id: id, browser, system, place, signed_in_at, last_used_at, current } = session
  const device = text.device(browser, system)
  return (
    <li class="agent">
      <div class="head">
        <p class="head-words">
          <span class="strong">{device}</span>
          <small>
            {text.signedIn(day(signed_in_at))}, {text.lastUsed(`${day(last_used_at)}, ${time(last_used_at)}`)}
            {place !== '' && `, ${text.fromPlace(place)}`}
          </small>
        </p>
        {current ? (
          <span class="chip chip-good">{text.thisOne}</span>
        ) : (
          <Button
            kind="quiet"
            busy={busy.value === id}
            label={text.signOutNamed(device)}
            onPress={() => void end(id, device)}
          >
            {text.signOutThere}
          </Button>
        )}
      </div>
    </li>
  )
}

function Ways() {
  return (
    <div class="actions">
      <Button kind="secondary" onPress={() => void leave()}>
        {text.signOutHere}
      </Button>
      <Button kind="danger" onPress={() => ask(true)}>
        {text.signOutAll}
      </Button>
      <a class="button button-quiet" href="/passkeys">
        {me.toPasskeys}
      </a>
      <a class="button button-quiet" href="/">
        {text.toHome}
      </a>
    </div>
  )
}

function ConfirmAll() {
  return (
    <div class="confirm">
      <p id="confirm">{text.signOutAllWords}</p>
      <div class="pair">
        <Button kind="secondary" onPress={() => ask(false)}>
          {text.keepSignedIn}
        </Button>
        <Button kind="danger" busy={busy.value === 'all'} describedBy="confirm" onPress={() => void endAll()}>
          {text.signOutAllNow}
        </Button>
      </div>
    </div>
  )
}

function ask(whether: boolean): void {
  isAsking.value = whether
  failure.value = ''
}

async function leave(): Promise<void> {
  await signOut()
  sessions.value = undefined
}

async function end(id: string, device: string): Promise<void> {
  const isEnded = await act(id, `sessions/${encodeURIComponent(id)}/end`)
  if (isEnded) said.value = text.signedOut(device)
  if (who.value !== null) await refresh()
}

async function endAll(): Promise<void> {
  if (!(await act('all', 'sessions/end-all'))) return
  ask(false)
  sessions.value = undefined
  who.value = null
}

/** True when it was done. */
async function act(what: string, path: string): Promise<boolean> {
  if (busy.value !== undefined) return false
  busy.value = what
  failure.value = ''
  try {
    await post(path)
    return true
  } catch (error) {
    failure.value = wordsFor(error, text.meRefusals)
    return false
  } finally {
    busy.value = undefined
  }
}
