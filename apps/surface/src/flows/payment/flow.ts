import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { PaymentView } from '@mintmark/contract/wire/surface'
import { cardName } from '../../card-text.ts'
import { checkIcon, clockIcon, crossIcon, noticeIcon } from '../../icons.ts'
import { momentText } from '../../locale.ts'
import { moneyPiece } from '../../money-text.ts'
import { foreign, plainText } from '../../phrase.ts'
import { SHARED_STEPS } from '../../steps.ts'
import type { Flow, TermLine } from '../flow.ts'
import { paymentSummary } from './summary.ts'
import { payeeText, paymentTerms } from './terms.ts'
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
  title: ({ payment }) =>
    plainText([moneyPiece(payment.amount, payment.currency), ' · ', foreign(payment.merchant_name)]),
  trust: ({ payment }) => text.trust(foreign(payment.merchant_name)),
  summary: paymentSummary,
  approvalTitle: ({ payment }) => text.approve(moneyPiece(payment.amount, payment.currency)),
  terms: paymentTerms,
  outcome: (outcome, view) => ({
    icon: ICONS[outcome],
    title: text.outcomes[outcome].title,
    text: (outcome === 'failed' ? failureText(view) : null) ?? text.outcomes[outcome].text,
    receipt: outcome === 'approved' ? receipt(view) : [],
  }),
  failure: failureText,
}

/** What there is to keep of an approval; as much as the view holds of it. */
function receipt({ payment, card, receipt }: PaymentView): TermLine[] {
  const words = text.receipt
  return [
    { label: words.payee, value: payeeText({ name: payment.merchant_name, url: payment.merchant_url }) },
    { label: words.amount, value: [moneyPiece(payment.amount, payment.currency)] },
    ...(card === null ? [] : [{ label: words.card, value: cardName(card) }]),
    ...(receipt === undefined
      ? []
      : [
          { label: words.time, value: momentText(new Date(receipt.approved_at)) },
          { label: words.reference, value: [foreign(receipt.reference)] },
        ]),
  ]
}

/** A code of a later version has no words here: then nothing is claimed about the money. */
function failureText({ failure }: PaymentView): string | null {
  if (failure === null) return null
  return Object.hasOwn(text.failures, failure.code) ? text.failures[failure.code] : text.outcomes.failed.text
}
