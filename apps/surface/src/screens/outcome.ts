import type { SurfaceOutcome, SurfaceView } from '@mintmark/contract/surface-api'
import { button } from '../button.ts'
import { h, heading, paragraph } from '../dom.ts'
import { checkIcon, clockIcon, crossIcon, noticeIcon } from '../icons.ts'
import { hostText } from '../money-text.ts'
import type { Screen } from '../screen.ts'

interface OutcomeWords {
  icon(): HTMLElement
  title: string
  text: string
}

const OUTCOMES: Record<SurfaceOutcome, OutcomeWords> = {
  approved: { icon: checkIcon, title: 'Approved', text: 'You are done here. The merchant finishes your order now.' },
  failed: { icon: crossIcon, title: 'The payment did not go through', text: 'Your card was not charged.' },
  cancelled: { icon: noticeIcon, title: 'Payment cancelled', text: 'You cancelled it. Your card was not charged.' },
  expired: {
    icon: clockIcon,
    title: 'This payment has expired',
    text: 'The time to approve it is over and your card was not charged. Start again from the merchant’s page.',
  },
  revoked: {
    icon: noticeIcon,
    title: 'The merchant withdrew this payment',
    text: 'Your card was not charged. Ask the merchant if you did not expect this.',
  },
}

/** An approval is soon read; why something failed takes longer. */
const STAY_MS: Record<SurfaceOutcome, number> = {
  approved: 1_500,
  cancelled: 1_500,
  failed: 6_000,
  expired: 6_000,
  revoked: 6_000,
}

export interface OutcomeOptions {
  outcome: SurfaceOutcome
  /** Null when the launch itself was refused, so nothing is known of the payment. */
  view: SurfaceView | null
  embedded: boolean
}

export function outcomeScreen({ outcome, view, embedded }: OutcomeOptions): Screen {
  const { icon, title, text } = OUTCOMES[outcome]
  const reason = outcome === 'failed' ? view?.failure?.message : undefined
  const element = h('div', { class: 'centered' }, icon(), heading(title), paragraph(reason ?? text))
  const target = embedded ? null : returnTarget(view)
  if (target === null) {
    element.append(paragraph(farewell(view, embedded), 'hint'))
    return { element, final: true }
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const go = () => location.replace(target)
  const place = hostText(target)
  element.append(button(`Return to ${place}`, go), paragraph(`We take you back to ${place} in a moment.`, 'hint'))
  return {
    element,
    final: true,
    enter: () => {
      timer = setTimeout(go, STAY_MS[outcome])
    },
    leave: () => clearTimeout(timer),
  }
}

/** Web addresses only: the browser would run a `javascript:` one. */
function returnTarget(view: SurfaceView | null): string | null {
  if (view?.integration_type !== 'full_checkout' || view.return_url === null) return null
  return /^https?:\/\//i.test(view.return_url) ? view.return_url : null
}

function farewell(view: SurfaceView | null, embedded: boolean): string {
  if (embedded) return 'Go on in the page around this one.'
  return view?.integration_type === 'embedding'
    ? 'You may close this window and go back to the merchant’s page.'
    : 'You may close this window.'
}
