import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { PaymentView } from '@mintmark/contract/wire/surface'
import { checkIcon, clockIcon, crossIcon, noticeIcon } from '../../icons.ts'
import { moneyText } from '../../money-text.ts'
import { SHARED_STEPS } from '../../steps.ts'
import type { Flow } from '../flow.ts'
import { paymentTerms } from './statement.ts'
import { paymentSummary } from './summary.ts'
import { text } from './text/text.ts'

const ICONS: Record<SurfaceOutcome, () => HTMLElement> = {
  approved: checkIcon,
  failed: crossIcon,
  cancelled: noticeIcon,
  expired: clockIcon,
  revoked: noticeIcon,
}

/** A purchase: one amount to one merchant, approved once. */
export const paymentFlow: Flow<PaymentView> = {
  steps: SHARED_STEPS,
  words: text.shared,
  title: ({ payment }) => `${moneyText(payment.amount, payment.currency)} · ${payment.merchant_name}`,
  trust: ({ payment }) => text.trust(payment.merchant_name),
  summary: paymentSummary,
  approvalTitle: ({ payment }) => text.approve(moneyText(payment.amount, payment.currency)),
  statement: paymentTerms,
  outcome: (outcome, view) => ({
    icon: ICONS[outcome],
    title: text.outcomes[outcome].title,
    text: (outcome === 'failed' ? failureText(view) : null) ?? text.outcomes[outcome].text,
  }),
  failure: failureText,
}

/** A code of a later version has no words here: then nothing is claimed about the money. */
function failureText({ failure }: PaymentView): string | null {
  if (failure === null) return null
  return Object.hasOwn(text.failures, failure.code) ? text.failures[failure.code] : text.outcomes.failed.text
}
