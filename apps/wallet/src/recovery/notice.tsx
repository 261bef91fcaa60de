import type { OwnerRecoveries } from '@mintmark/contract/wire/recovery'
import { get, post, Refusal } from '@mintmark/ui/backend.ts'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { dayOf } from '../money.ts'
import { wordsFor } from '../session.tsx'
import { words as text } from '../text/recovery/words.ts'
import { text as common } from '../text/words.ts'
import { Alert, Button, said } from '../ui.tsx'
import { moment } from './going.ts'

// What every device of an owner is told: that another passkey was asked for, and after that since when it is new.

const told = signal<OwnerRecoveries | undefined>(undefined)
const failure = signal('')
const busy = signal(false)

const POLL_MILLIS = 30_000

/** What cannot be read now is read at the next turn. */
async function read(): Promise<void> {
  if (document.visibilityState !== 'visible') return
  told.value = await get<OwnerRecoveries>('recoveries').catch(() => told.value)
}

/** Above each page of an owner who is signed in. */
export function RecoveryNotice() {
  useEffect(() => {
    void read()
    const timer = setInterval(() => void read(), POLL_MILLIS)
    return () => clearInterval(timer)
  }, [])
  const waiting = told.value?.waiting
  if (!waiting) return null
  const { recovery_id: id, browser, system, place, due_at } = waiting
  return (
    <section class="told" aria-labelledby="told-title">
      <h2 id="told-title">{text.noticeTitle}</h2>
      <p id="told-words">{text.noticeWords(common.device(browser, system), place, moment(due_at))}</p>
      <Alert words={failure.value} />
      <Button kind="danger" busy={busy.value} describedBy="told-words" onPress={() => void stop(id)}>
        {text.notMe}
      </Button>
    </section>
  )
}

async function stop(id: string): Promise<void> {
  if (busy.value) return
  busy.value = true
  failure.value = ''
  try {
    await post(`recoveries/${encodeURIComponent(id)}/stop`)
    said.value = text.noticeStopped
  } catch (error) {
    failure.value = wordsFor(error)
    if (error instanceof Refusal && error.status === 400) said.value = text.noticeOver
  } finally {
    busy.value = false
    await read()
  }
}

/** Beside each approval, for 30 days: whoever approves sees that the passkey is new. */
export function NewPasskey() {
  const madeAt = told.value?.made_at
  return madeAt ? <p class="warning">{text.madeOn(dayOf(madeAt))}</p> : null
}

/** Until when agents are allowed nothing more, in words; undefined: they may be. */
export function frozenWords(): string | undefined {
  const until = told.value?.frozen_until
  return until ? text.frozen(moment(until)) : undefined
}
