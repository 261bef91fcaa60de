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
  terms: paymentTerms,
  outcome: (outcome, view) => ({
    title: text.outcomes[outcome].title,
    text: outcomeText(text, outcome, view.failure),
    receipt: outcome === 'approved' ? receipt(view) : [],
  }),
  failure: ({ failure }) => failureText(text, failure),
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
