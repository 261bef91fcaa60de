import { hostText } from '@mintmark/contract/sentence'
import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { FrameInfo, SurfaceView } from '@mintmark/contract/wire/surface'
import { button } from '../button.ts'
import { words as asNodes, h, heading, paragraph } from '../dom.ts'
import type { Flow, ReceiptLine } from '../flows/flow.ts'
import { checkIcon, clockIcon, crossIcon, noticeIcon } from '../icons.ts'
import { say } from '../live.ts'
import { foreign, plainText } from '../phrase.ts'
import type { Screen } from '../screen.ts'
import { text } from '../text/text.ts'
import { linkOut, webAddress } from '../web-address.ts'

/** Time to see how it ended. A cardholder who wants to read all of it says so. */
const STAY_MILLIS: Record<SurfaceOutcome, number> = {
  approved: 8_000,
  cancelled: 4_000,
  failed: 8_000,
  expired: 8_000,
  revoked: 8_000,
}
/** What a cardholder does who is still reading. A touch that scrolls begins as a press. */
const SIGNS_OF_READING = ['pointerdown', 'keydown', 'wheel'] as const

const ICONS: Record<SurfaceOutcome, () => HTMLElement> = {
  approved: checkIcon,
  failed: crossIcon,
  cancelled: noticeIcon,
  expired: clockIcon,
  revoked: noticeIcon,
}

export interface OutcomeOptions {
  outcome: SurfaceOutcome
  view: SurfaceView
  flow: Flow
  frame: FrameInfo
}

/** `words` replace what the flow says where more cannot be known. */
export function outcomeScreen({ outcome, view, flow, frame }: OutcomeOptions, words?: string): Screen {
  const { embedded } = frame
  const look = flow.outcome(outcome, view)
  const element = h('div', { class: 'centered' }, ICONS[outcome](), heading(look.title))
  if (look.receipt.length > 0) element.append(receiptList(look.receipt))
  element.append(paragraph(words ?? look.text), ...ownersLine(look.owners))
  const target = embedded ? null : returnTarget(view)
  if (target === null) {
    element.append(paragraph(farewell(view, embedded), 'hint'))
    return { element, final: true }
  }
  return { element, final: true, ...wayBack(element, target, STAY_MILLIS[outcome]) }
}

/** Its host is read before it is followed. */
function ownersLine(address: string | null | undefined): HTMLElement[] {
  if (address == null) return []
  const link = linkOut(address, ...asNodes([foreign(hostText(address))]))
  return link === null ? [] : [h('p', { class: 'hint' }, `${text.owners} `, link)]
}

function receiptList(lines: ReceiptLine[]): HTMLElement {
  const rows = lines.map(({ label, value }) =>
    h('div', { class: 'receipt-line' }, h('dt', {}, label), h('dd', {}, ...asNodes(value))),
  )
  return h('dl', { class: 'receipt' }, ...rows)
}

/**
 * Back to the merchant by itself, unless the reader stays: a receipt is read slowly by some, with a screen reader or very large text.
 */
function wayBack(element: HTMLElement, target: string, millis: number): Pick<Screen, 'enter' | 'leave'> {
  const words = text.outcome
  const place = foreign(hostText(target))
  const go = () => location.replace(target)
  const note = paragraph(words.returning(place), 'hint')
  const back = button(asNodes(text.buttons.returnTo(place)), go)
  const staying = new AbortController()
  const stop = () => {
    staying.abort()
    back.focus()
    say(words.staying)
  }
  const stay = button(words.stay, stop, { kind: 'quiet' })
  element.append(note, back, stay)
  return {
    enter() {
      const { signal } = staying
      const timer = setTimeout(go, millis)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        note.textContent = words.staying
        // It keeps its room: what is below a finger must not move.
        stay.style.setProperty('visibility', 'hidden')
      })
      for (const sign of SIGNS_OF_READING) {
        // The two buttons say themselves what is wanted.
        const notice = ({ target }: Event) => isButton(target) || staying.abort()
        addEventListener(sign, notice, { signal, passive: true })
      }
      say(`${plainText(words.returning(place))} ${words.canStay}`)
    },
    leave: () => staying.abort(),
  }
}

function isButton(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button') !== null
}

function returnTarget({ integration_type, return_url }: SurfaceView): string | null {
  return integration_type === 'full_checkout' ? webAddress(return_url) : null
}

function farewell({ integration_type }: SurfaceView, embedded: boolean): string {
  if (embedded) return text.outcome.embedded
  return integration_type === 'embedding' ? text.outcome.closeAndReturn : text.outcome.close
}
