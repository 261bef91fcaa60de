import type { DeviceApproval, DeviceView, NewDevice } from '@mintmark/contract/wire/devices'
import { get, post } from '@mintmark/ui/backend.ts'
import { usePasskey } from '@mintmark/ui/passkey.ts'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { time } from '../money.ts'
import { NewPasskey } from '../recovery/notice.tsx'
import { wordsFor } from '../session.tsx'
import { words as text } from '../text/me/words.ts'
import { text as common } from '../text/words.ts'
import { Alert, Button, KeyIcon } from '../ui.tsx'

const shown = signal<NewDevice | undefined>(undefined)
const view = signal<DeviceView | undefined>(undefined)
const failure = signal('')
const busy = signal(false)

const POLL_MILLIS = 2000
/** Nothing more happens by itself. */
const ENDED: readonly DeviceView['status'][] = ['made', 'refused', 'over']

interface DeviceProps {
  /** Reads the passkeys again. */
  look: () => Promise<void>
}

/** Another device: a code is shown, typed there, and answered here with the passkey. */
export function DeviceSection({ look }: DeviceProps) {
  if (shown.value === undefined) {
    return (
      <div class="actions">
        <Alert words={failure.value} />
        <Button kind="secondary" busy={busy.value} onPress={() => void showCode()}>
          {text.addDevice}
        </Button>
      </div>
    )
  }
  return <Shown device={shown.value} look={look} />
}

function Shown({ device, look }: DeviceProps & { device: NewDevice }) {
  const status = view.value?.status ?? 'shown'
  const isEnded = ENDED.includes(status)
  useEffect(() => {
    if (isEnded) return
    const timer = setInterval(() => void read(device.device_id, look), POLL_MILLIS)
    return () => clearInterval(timer)
  }, [device.device_id, isEnded])
  return (
    <div class="confirm" aria-live="polite">
      {status === 'shown' && <Code device={device} />}
      {status === 'typed' && <Typed id={device.device_id} look={look} />}
      {status === 'allowed' && <p>{text.allowedWords}</p>}
      {isEnded && <p>{endWords(status)}</p>}
      <Alert words={failure.value} />
      {status !== 'typed' && (
        <Button kind="secondary" onPress={() => void stop(device.device_id, isEnded)}>
          {isEnded ? text.close : text.stop}
        </Button>
      )}
    </div>
  )
}

function endWords(status: DeviceView['status']): string {
  if (status === 'made') return text.madeWords
  return status === 'refused' ? text.refusedWords : text.overWords
}

function Code({ device }: { device: NewDevice }) {
  return (
    <>
      <h2>{text.codeTitle}</h2>
      <p>{text.codeWords(location.host)}</p>
      <p class="device-code">{device.code}</p>
      <p class="note">{text.codeUntil(time(device.ends_at))}</p>
    </>
  )
}

function Typed({ id, look }: DeviceProps & { id: string }) {
  const device = view.value?.device
  return (
    <>
      <h2>{text.typedTitle}</h2>
      <p class="strong">
        {common.device(device?.browser ?? null, device?.system ?? null)}, {common.fromPlace(device?.place ?? '')}
      </p>
      <p id="typed-words">{text.typedWords}</p>
      <NewPasskey />
      <div class="pair">
        <Button kind="secondary" describedBy="typed-words" busy={busy.value} onPress={() => void refuse(id, look)}>
          {text.refuse}
        </Button>
        <Button busy={busy.value} onPress={() => void allow(id, look)}>
          <KeyIcon /> {text.allow}
        </Button>
      </div>
    </>
  )
}

const path = (id: string) => `devices/${encodeURIComponent(id)}`

/** What comes late, after the end or of a device before, says nothing any more. */
const isAwaited = (id: string) =>
  shown.value?.device_id === id && (view.value === undefined || !ENDED.includes(view.value.status))

async function read(id: string, look: () => Promise<void>): Promise<void> {
  try {
    const answer = await get<DeviceView>(path(id))
    if (!isAwaited(id)) return
    view.value = answer
    if (answer.status === 'made') await look()
  } catch (error) {
    if (isAwaited(id)) failure.value = wordsFor(error, text.deviceRefusals)
  }
}

async function act(work: () => Promise<void>): Promise<void> {
  if (busy.value) return
  busy.value = true
  failure.value = ''
  try {
    await work()
  } catch (error) {
    failure.value = wordsFor(error, text.deviceRefusals)
  } finally {
    busy.value = false
  }
}

const showCode = () =>
  act(async () => {
    view.value = undefined
    shown.value = await post<NewDevice>('devices')
  })

const allow = (id: string, look: () => Promise<void>) =>
  act(async () => {
    const { options } = await post<DeviceApproval>(`${path(id)}/approval-options`)
    await post(`${path(id)}/allow`, { response: await usePasskey(options) })
    await read(id, look)
  })

const refuse = (id: string, look: () => Promise<void>) =>
  act(async () => {
    await post(`${path(id)}/refuse`)
    await read(id, look)
  })

/** A code that is shown no more is refused, so that no device types it later. */
async function stop(id: string, isEnded: boolean): Promise<void> {
  shown.value = undefined
  failure.value = ''
  if (!isEnded) await post(`${path(id)}/refuse`).catch(() => undefined)
}
