import type { OwnedPasskeys } from '@mintmark/contract/wire/devices'
import { get, post } from '@mintmark/ui/backend.ts'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { day } from '../money.ts'
import { who, wordsFor } from '../session.tsx'
import { words as text } from '../text/me/words.ts'
import { text as common } from '../text/words.ts'
import { Alert, Button, Field, Loading, Sheet, said, Unreached } from '../ui.tsx'
import { DeviceSection } from './device-section.tsx'

type Passkey = OwnedPasskeys['passkeys'][number]

const passkeys = signal<readonly Passkey[] | undefined>(undefined)
const isLost = signal(false)
const failure = signal('')
const busy = signal(false)
/** The passkey that is asked about, and what. */
const open = signal<{ id: string; what: 'name' | 'end' } | undefined>(undefined)
const name = signal('')
const problem = signal<string | undefined>(undefined)

async function refresh(): Promise<void> {
  isLost.value = false
  try {
    passkeys.value = (await get<OwnedPasskeys>('passkeys')).passkeys
  } catch (error) {
    isLost.value = wordsFor(error) !== ''
  }
}

/** The passkeys of an owner: each named, dated, and ended by two presses, but the last. */
export function PasskeysPage() {
  useEffect(() => void refresh(), [])
  if (isLost.value) return <Unreached again={() => void refresh()} />
  if (passkeys.value === undefined) return <Loading />
  const isOnly = passkeys.value.length === 1
  return (
    <Sheet wide title={text.passkeysTitle}>
      <p class="lead">{text.passkeysWords}</p>
      <Alert words={failure.value} />
      <ul class="agents">
        {passkeys.value.map((passkey) => (
          <Listed key={passkey.passkey_id} passkey={passkey} isOnly={isOnly} />
        ))}
      </ul>
      <DeviceSection look={refresh} />
      <div class="actions">
        <a class="button button-quiet" href="/me">
          {text.toSessions}
        </a>
      </div>
    </Sheet>
  )
}

function nameOf({ name: given, browser, system }: Passkey): string {
  if (given !== null) return given
  return browser === null && system === null ? text.passkey : text.passkeyOf(common.device(browser, system))
}

function Listed({ passkey, isOnly }: { passkey: Passkey; isOnly: boolean }) {
  const { passkey_id: id, made_at, last_used_at, synced, blocked, of_shop, current } = passkey
  const called = nameOf(passkey)
  const asked = open.value?.id === id ? open.value.what : undefined
  return (
    <li class="agent">
      <div class="head">
        <p class="head-words">
          <bdi class="strong">{called}</bdi>
          <small>
            {text.madeOn(day(made_at))}, {last_used_at === null ? text.neverUsed : text.usedOn(day(last_used_at))}
            {synced && `, ${text.synced}`}
          </small>
        </p>
        {current && <span class="chip chip-good">{text.thisOne}</span>}
        {blocked && <span class="chip">{text.blocked}</span>}
      </div>
      {of_shop && <p class="note">{text.ofShop}</p>}
      {blocked && <p class="note">{text.blockedWords}</p>}
      {isOnly && <p class="note">{text.lastOne}</p>}
      {asked === undefined && (
        <span class="agent-ways">
          <Button kind="quiet" label={text.renameNamed(called)} onPress={() => ask(id, 'name')}>
            {text.rename}
          </Button>
          {!isOnly && (
            <Button kind="quiet" label={text.endNamed(called)} onPress={() => ask(id, 'end')}>
              {text.end}
            </Button>
          )}
        </span>
      )}
      {asked === 'name' && <Rename id={id} />}
      {asked === 'end' && <Confirm passkey={passkey} called={called} />}
    </li>
  )
}

function Rename({ id }: { id: string }) {
  return (
    <form
      noValidate
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void rename(id)
      }}
    >
      <Field id="passkey-name" label={text.newName} problem={problem.value}>
        <input
          id="passkey-name"
          maxLength={64}
          autoComplete="off"
          value={name.value}
          aria-invalid={problem.value !== undefined}
          aria-describedby="passkey-name-note"
          onInput={(event) => {
            name.value = event.currentTarget.value
            problem.value = undefined
          }}
        />
      </Field>
      <div class="pair">
        <Button kind="secondary" onPress={close}>
          {text.keepName}
        </Button>
        <Button submit busy={busy.value}>
          {text.saveName}
        </Button>
      </div>
    </form>
  )
}

function Confirm({ passkey, called }: { passkey: Passkey; called: string }) {
  return (
    <div class="confirm">
      <p id="confirm-passkey">{passkey.current ? text.endThisWords : text.endWords(called)}</p>
      <div class="pair">
        <Button kind="secondary" onPress={close}>
          {text.keep}
        </Button>
        <Button kind="danger" busy={busy.value} describedBy="confirm-passkey" onPress={() => void end(passkey, called)}>
          {text.endNow}
        </Button>
      </div>
    </div>
  )
}

function ask(id: string, what: 'name' | 'end'): void {
  open.value = { id, what }
  name.value = passkeys.value?.find(({ passkey_id }) => passkey_id === id)?.name ?? ''
  problem.value = undefined
  failure.value = ''
}

function close(): void {
  open.value = undefined
}

async function rename(id: string): Promise<void> {
  const given = name.value.trim()
  if (given === '') {
    problem.value = text.nameNeeded
    return document.getElementById('passkey-name')?.focus()
  }
  await act(() => post(`passkeys/${encodeURIComponent(id)}/name`, { name: given }))
}

async function end({ passkey_id: id, current }: Passkey, called: string): Promise<void> {
  const isEnded = await act(() => post(`passkeys/${encodeURIComponent(id)}/end`))
  if (isEnded) said.value = text.hasEnded(called)
  if (!isEnded || !current) return
  passkeys.value = undefined
  who.value = null
}

/** True when it was done. How it stands then is the service's word. */
async function act(work: () => Promise<unknown>): Promise<boolean> {
  if (busy.value) return false
  busy.value = true
  failure.value = ''
  try {
    await work()
    return true
  } catch (error) {
    failure.value = wordsFor(error, text.refusals)
    return false
  } finally {
    busy.value = false
    close()
    if (who.value !== null) await refresh()
  }
}
