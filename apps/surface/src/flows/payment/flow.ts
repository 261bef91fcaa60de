import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { PaymentView } from '@mintmark/contract/wire/surface'
import { moneyPiece } from '../../money-text.ts'
import { foreign, plainText } from '../../phrase.ts'
import { SHARED_STEPS } from '../../steps.ts'
import { text as sharedText } from '../../text/text.ts'
import { failureText, outcomeText } from '../endings.ts'
import type { Flow, TermLine } from '../flow.ts'
import { keptLines, payeeText } from '../lines.ts'
import { paymentSummary } from './summary.ts'
import { paymentTerms } from './terms.ts'
import { text } from './text/text.ts'

/** A purchase: one amount to one merchant, approved once. */
export const paymentFlow: Flow<PaymentView> = {
  steps: SHARED_STEPS,
  words: text.shared,
  title: ({ payment }) =>
    plainText([moneyPiece(payment.amount, payment.currency), ' · ', foreign(payment.merchant_name)]),
  trust: ({ payment }) => sharedText.trust(foreign(payment.merchant_name)),
  summary: paymentSummary,
  approvalTitle: ({ payment }) => text.approve(moneyPiece(payment.amount, payment.currency)),
  approvalAction: ({ payment }) => text.action(moneyPiece(payment.amount, payment.currency)),
  terms: paymentTerms,
  processing: ({ payment }) => (payment.bought_here ? text.buying : null),
  outcome: (outcome, view) => ({
    ...words(outcome, view),
    receipt: outcome === 'approved' ? receipt(view) : [],
  }),
  failure: ({ failure }) => failureText(text, failure),
}

/** What was bought here is paid when it is over; what the merchant takes the payment for is only approved. */
function words(outcome: SurfaceOutcome, { payment, failure }: PaymentView) {
  const bought = payment.bought_here ? text.bought[outcome] : undefined
  if (bought !== undefined) return bought
  return { title: text.outcomes[outcome].title, text: outcomeText(text, outcome, failure) }
}

/** What there is to keep of an approval; as much as the view holds of it. */
function receipt({ payment, card, receipt }: PaymentView): TermLine[] {
  const words = text.receipt
  return [
    { label: words.payee, value: payeeText({ name: payment.merchant_name, url: payment.merchant_url }) },
    { label: words.amount, value: [moneyPiece(payment.amount, payment.currency)] },
    ...keptLines(card, receipt, words.time),
  ]
}
