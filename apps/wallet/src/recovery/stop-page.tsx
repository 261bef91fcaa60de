import { post, Refusal } from '@mintmark/ui/backend.ts'
import { signal } from '@preact/signals'
import { wordsFor } from '../session.tsx'
import { words as text } from '../text/recovery/words.ts'
import { Alert, Button, Notice, Sheet } from '../ui.tsx'

/** Where the link of a mail leads. Programs that look at mails open it as well, so it takes a press. */
type End = 'stopped' | 'late' | 'unknown'
const end = signal<End | undefined>(undefined)
const failure = signal('')
const busy = signal(false)

const ENDS: Readonly<Record<number, End>> = { 400: 'late', 404: 'unknown' }

export function StopPage() {
  if (end.value === 'stopped') return <Notice title={text.stoppedTitle} words={text.stoppedByMail} tone="good" />
  if (end.value === 'late') return <Notice title={text.tooLateTitle} words={text.tooLateWords} tone="warn" />
  if (end.value === 'unknown') return <Notice title={text.unknownLinkTitle} words={text.unknownLinkWords} tone="warn" />
  return (
    <Sheet title={text.stopTitle}>
      <p class="lead">{text.stopPageWords}</p>
      <Alert words={failure.value} />
      <div class="actions">
        <Button kind="danger" busy={busy.value} onPress={() => void stop()}>
          {text.notMe}
        </Button>
      </div>
    </Sheet>
  )
}

async function stop(): Promise<void> {
  if (busy.value) return
  busy.value = true
  failure.value = ''
  try {
    await post('recovery/stop-by-mail', { token: location.hash.slice(1) })
    end.value = 'stopped'
  } catch (error) {
    end.value = error instanceof Refusal ? ENDS[error.status] : undefined
    if (end.value === undefined) failure.value = wordsFor(error)
  } finally {
    busy.value = false
  }
}
