import type { DeviceJoined, DeviceWaiting } from '@mintmark/contract/wire/devices'
import type { SignedIn, VisitOptions } from '@mintmark/contract/wire/owner'
import { post, Refusal } from '@mintmark/ui/backend.ts'
import { makePasskey } from '@mintmark/ui/passkey.ts'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { words as text } from '../text/arriving/words.ts'
import { text as common } from '../text/words.ts'
import { Alert, Button, KeyIcon, Sheet } from '../ui.tsx'
import { arrived, attempt, busy, failure, go } from './state.ts'
import { TypedField, wrong } from './typed-field.tsx'

/** A device that another one of its owner lets in: it types the code, waits, and makes a passkey. */
type Step = 'code' | 'waits' | 'allowed' | 'refused' | 'over'
const step = signal<Step>('code')
const visit = signal('')
const code = signal('')
const problem = signal<string | undefined>(undefined)

const POLL_MILLIS = 2000
const SCREENS = { code: Code, waits: Waits, allowed: Allowed, refused: Refused, over: Over }

export function NewDevice() {
  const Screen = SCREENS[step.value]
  return <Screen />
}

export function startNewDevice(): void {
  code.value = ''
  problem.value = undefined
  step.value = 'code'
  go('device')
}

async function join(): Promise<void> {
  const typed = code.value.replace(/[\s-]/g, '')
  if (!/^[0-9a-z]{8}$/i.test(typed)) return wrong(problem, 'device-code', text.deviceCodeWrong)
  await attempt(async () => {
    visit.value = (await post<DeviceJoined>('new-device', { code: typed })).visit
    step.value = 'waits'
  }, text.deviceRefusals)
}

const NEXT: Readonly<Record<string, Step>> = { allowed: 'allowed', refused: 'refused', over: 'over', made: 'over' }

/** Asks until the other device has answered. An answer that does not come is asked for again. */
async function ask(): Promise<void> {
  const asked = visit.value
  // One that comes late says nothing of the screen that is there by then.
  const answered = (next: Step) => {
    if (step.value === 'waits' && visit.value === asked) step.value = next
  }
  try {
    const { status } = await post<DeviceWaiting>('new-device/standing', { visit: asked })
    answered(NEXT[status] ?? 'waits')
  } catch (error) {
    // Another code was shown meanwhile.
    if (error instanceof Refusal && error.code === 'INVALID_STATE') answered('over')
  }
}

async function register(): Promise<void> {
  await attempt(async () => {
    const { options } = await post<VisitOptions>('new-device/options', { visit: visit.value })
    const response = await makePasskey(options)
    arrived(await post<SignedIn>('new-device/passkey', { visit: visit.value, response }))
  }, text.deviceRefusals)
}

function Code() {
  return (
    <Sheet title={text.deviceTitle}>
      <p class="lead">{text.deviceWords}</p>
      <TypedField
        id="device-code"
        value={code}
        problem={problem}
        label={text.deviceCode}
        hint={text.deviceCodeHint}
        input={{ class: 'code', autoComplete: 'off', autoCapitalize: 'characters', spellcheck: false, maxLength: 12 }}
        send={() => void join()}
      >
        <Button submit busy={busy.value}>
          {text.confirmCode}
        </Button>
        <Back />
      </TypedField>
    </Sheet>
  )
}

function Waits() {
  useEffect(() => {
    const timer = setInterval(() => void ask(), POLL_MILLIS)
    return () => clearInterval(timer)
  }, [])
  return (
    <Sheet title={text.waitsTitle}>
      <p class="lead" role="status">
        {text.waitsWords}
      </p>
      <div class="actions">
        <Back />
      </div>
    </Sheet>
  )
}

function Allowed() {
  return (
    <Sheet title={text.allowedTitle}>
      <p class="lead">{text.allowedWords}</p>
      <Alert words={failure.value} />
      <div class="actions">
        <Button busy={busy.value} onPress={() => void register()}>
          <KeyIcon /> {text.createPasskey}
        </Button>
        <Back />
      </div>
      <p class="foot">{common.confirms}</p>
    </Sheet>
  )
}

function Refused() {
  return <Ended title={text.refusedTitle} words={text.refusedWords} />
}

function Over() {
  return <Ended title={text.deviceOverTitle} words={text.deviceOverWords} />
}

function Ended({ title, words }: { title: string; words: string }) {
  return (
    <Sheet title={title}>
      <p class="lead">{words}</p>
      <div class="actions">
        <Button onPress={startNewDevice}>{text.anotherDeviceCode}</Button>
        <Back />
      </div>
    </Sheet>
  )
}

function Back() {
  return (
    <Button kind="secondary" onPress={() => go('back')}>
      {text.back}
    </Button>
  )
}
