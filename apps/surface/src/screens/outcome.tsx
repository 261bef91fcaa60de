import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { FrameInfo, SurfaceView } from '@mintmark/contract/wire/surface'
import { Button } from '@mintmark/ui/button.tsx'
import { Receipt, type ReceiptProps } from '@mintmark/ui/receipt.tsx'
import { button } from '../button.ts'
import { h, paragraph } from '../dom.ts'
import { draw, nodesOf, Placed, Words } from '../draw.tsx'
import type { Flow, Said } from '../flows/flow.ts'
import { permissionsAddress } from '../link.ts'
import { say } from '../live.ts'
import { hostText } from '../money-text.ts'
import { filled, foreign, type Phrase, plainText } from '../phrase.ts'
import type { Screen } from '../screen.ts'
import { rowsOf, Signed, TermRows } from '../screen-parts.tsx'
import { text } from '../text/text.ts'
import { webAddress } from '../web-address.ts'

/** Time to see how it ended. A person who wants to read all of it says so. */
const STAY_MILLIS: Record<SurfaceOutcome, number> = {
  approved: 8_000,
  cancelled: 4_000,
  failed: 8_000,
  expired: 8_000,
  revoked: 8_000,
}
/** What a person does who is still reading. A touch that scrolls begins as a press. */
const SIGNS_OF_READING = ['pointerdown', 'keydown', 'wheel'] as const

/** With another card it may go well: a new request does, as this one is over (ADR 0089). */
const DECLINES = new Set<string>(['CARD_DECLINED', 'INSUFFICIENT_FUNDS', 'PAYMENT_DECLINED'])

const MEDALS: Record<SurfaceOutcome, Pick<ReceiptProps, 'icon' | 'tone'>> = {
  approved: { icon: 'check', tone: 'good' },
  failed: { icon: 'cross', tone: 'bad' },
  cancelled: { icon: 'notice', tone: 'calm' },
  expired: { icon: 'clock', tone: 'calm' },
  revoked: { icon: 'notice', tone: 'calm' },
}

export interface OutcomeOptions {
  outcome: SurfaceOutcome
  view: SurfaceView
  flow: Flow
  frame: FrameInfo
  /** What was signed in this very page; null: in another one, or before it was loaded again. */
  signed: Said | null
  /** A frame has opened this tab, and waits for it. */
  isOpened: boolean
}

/** `words` replace what the flow says where more cannot be known. */
export function outcomeScreen(
  { outcome, view, flow, frame, signed, isOpened }: OutcomeOptions,
  words?: string,
): Screen {
  const { embedded } = frame
  const shown = flow.outcome(outcome, view)
  const isKept = shown.receipt.length > 0
  const next = embedded ? null : wayOf(view, isOpened)
  const way = next && wayBack(next, STAY_MILLIS[outcome])
  const sentence = signed ?? view.signed
  const element = draw(
    <Receipt
      {...MEDALS[outcome]}
      title={<Words phrase={shown.title} />}
      text={<Words phrase={words ?? shown.text} />}
      rows={rowsOf(shown.receipt)}
      sentence={isKept && sentence && <Signed sentence={sentence} title={text.outcome.kept} />}
    >
      {isKept && view.kind === 'mandate_setup' && <Stop />}
      {isKept && <More view={view} />}
      {isKept && !embedded && (
        <Button kind="quiet" onPress={() => print()}>
          {text.outcome.print}
        </Button>
      )}
      <Placed element={way?.element ?? paragraph(farewell(view, embedded), 'hint')} />
    </Receipt>,
  )
  return { ...way, element, final: true }
}

/**
 * Where what was allowed is paused and ended. A page of its own: in a frame it would ask for a passkey that was made
 * elsewhere.
 */
function Stop() {
  return (
    <a class="stop" href={permissionsAddress(location.pathname)} target="_blank" rel="noopener">
      {text.outcome.stop}
    </a>
  )
}

/** Our own number is for who asks us: it is long, and no order's. */
function More({ view }: { view: SurfaceView }) {
  if (view.kind === 'enrollment' || view.receipt === undefined) return null
  return (
    <details class="all">
      <summary>{text.outcome.more}</summary>
      <TermRows lines={[{ label: text.terms.reference, value: [foreign(view.receipt.reference)] }]} />
    </details>
  )
}

/** What happens next, by itself or by a press. */
interface Way {
  /** What happens by itself; null: nothing does. */
  note: Phrase | null
  label: Phrase
  go(): void
}

/** Back to the merchant; or back to the page that waits for this tab, which closes. */
function wayOf({ integration_type, return_url, outcome, failure }: SurfaceView, isOpened: boolean): Way | null {
  const words = text.outcome
  // One that has been elsewhere no page can close.
  if (isOpened && history.length === 1) return { note: words.closing, label: words.closeNow, go: () => close() }
  const target = webAddress(return_url)
  if (target === null) return null
  const isDeclined = outcome === 'failed' && failure !== null && DECLINES.has(failure.code)
  const isHosted = integration_type === 'full_checkout'
  // What is hosted returns by itself. What stands in a frame as a rule does not; after a decline there is something to
  // do in the shop.
  if (!isHosted && !isDeclined) return null
  const place = foreign(hostText(target))
  return {
    note: isHosted ? filled(words.returning, { place }) : null,
    label: filled(isDeclined ? words.anotherCard : text.buttons.returnTo, { place }),
    go: () => location.replace(target),
  }
}

/**
 * There by itself, unless the reader stays: a receipt is read slowly by some, with a screen reader or very large text.
 */
function wayBack(way: Way, millis: number): Screen {
  const words = text.outcome
  // As one, or its words stand beside each other in columns.
  const back = button(h('span', {}, ...nodesOf(way.label)), way.go)
  if (way.note === null) return { element: back }
  const said = plainText(way.note)
  const note = paragraph(way.note, 'hint')
  const staying = new AbortController()
  const stop = () => {
    staying.abort()
    back.focus()
    say(words.staying)
  }
  const stay = button(words.stay, stop, { kind: 'quiet' })
  const element = h('div', { class: 'drawn' }, note, back, stay)
  return {
    element,
    enter() {
      const { signal } = staying
      const timer = setTimeout(way.go, millis)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        note.textContent = words.staying
        // It keeps its room: what is below a finger must not move.
        stay.style.setProperty('visibility', 'hidden')
      })
      for (const sign of SIGNS_OF_READING) {
        // Its own buttons say themselves what is wanted. A person who prints, or opens what is folded, stays.
        const notice = ({ target }: Event) => element.contains(target as Node) || staying.abort()
        addEventListener(sign, notice, { signal, passive: true })
      }
      say(`${said} ${words.canStay}`)
    },
    leave: () => staying.abort(),
  }
}

function farewell({ integration_type }: SurfaceView, embedded: boolean): string {
  if (embedded) return text.outcome.embedded
  return integration_type === 'embedding' ? text.outcome.closeAndReturn : text.outcome.close
}
