import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { FrameInfo, SurfaceView } from '@mintmark/contract/wire/surface'
import { button } from '../button.ts'
import { words as asNodes, h, heading, paragraph } from '../dom.ts'
import type { Flow } from '../flows/flow.ts'
import { checkIcon, clockIcon, crossIcon, noticeIcon } from '../icons.ts'
import { hostText } from '../money-text.ts'
import { foreign } from '../phrase.ts'
import type { Screen } from '../screen.ts'
import { termList } from '../term-list.ts'
import { text } from '../text/text.ts'
import { webAddress } from '../web-address.ts'

/** An approval is soon read; why something failed takes longer. */
const STAY_MILLIS: Record<SurfaceOutcome, number> = {
  approved: 4_000,
  cancelled: 1_500,
  failed: 6_000,
  expired: 6_000,
  revoked: 6_000,
}

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
  if (look.receipt.length > 0) element.append(termList(look.receipt))
  element.append(paragraph(words ?? look.text))
  const target = embedded ? null : returnTarget(view)
  if (target === null) {
    element.append(paragraph(farewell(view, embedded), 'hint'))
    return { element, final: true }
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const go = () => location.replace(target)
  const place = foreign(hostText(target))
  element.append(button(asNodes(text.buttons.returnTo(place)), go), paragraph(text.outcome.returning(place), 'hint'))
  return {
    element,
    final: true,
    enter: () => {
      timer = setTimeout(go, STAY_MILLIS[outcome])
    },
    leave: () => clearTimeout(timer),
  }
}

function returnTarget({ integration_type, return_url }: SurfaceView): string | null {
  return integration_type === 'full_checkout' ? webAddress(return_url) : null
}

function farewell({ integration_type }: SurfaceView, embedded: boolean): string {
  if (embedded) return text.outcome.embedded
  return integration_type === 'embedding' ? text.outcome.closeAndReturn : text.outcome.close
}
