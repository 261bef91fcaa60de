import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { PaymentView } from '@mintmark/contract/wire/surface'
import { moneyPiece } from '../../money-text.ts'
import { foreign, plainText } from '../../phrase.ts'
import { SHARED_STEPS } from '../../steps.ts'
import { text as sharedText } from '../../text/text.ts'
import { failureText, outcomeText } from '../endings.ts'
import type { Flow, ReceiptLine } from '../flow.ts'
import { agreedAgent, askerOf, keptLines, payeeText } from '../lines.ts'
import { paymentSummary } from './summary.ts'
import { paymentTerms, readTerms } from './terms.ts'
import { text } from './text/text.ts'

/** A purchase: one amount to one merchant, approved once. */
export const paymentFlow: Flow<PaymentView> = {
  steps: SHARED_STEPS,
  words: text.shared,
  title: ({ payment }) =>
    plainText([moneyPiece(payment.amount, payment.currency), ' · ', foreign(payment.merchant_name)]),
  trust: (view) => sharedText.trust(askerOf(view, view.payment.merchant_name)),
  payee: ({ payment: { merchant_name: name, merchant_url: url } }) => ({ name, url }),
  summary: paymentSummary,
  approvalTitle: ({ payment }) => text.approve(moneyPiece(payment.amount, payment.currency)),
  approvalAction: ({ payment }) => text.action(moneyPiece(payment.amount, payment.currency)),
  terms: paymentTerms,
  agreed,
  processing: ({ payment }) => (payment.bought_here ? text.buying : null),
  outcome: (outcome, view) => ({
    ...words(outcome, view),
    owners: outcome === 'approved' ? (view.agent?.owner_url ?? null) : null,
    receipt: outcome === 'approved' ? receipt(view) : [],
  }),
  failure: (view) => failureText(wordsOf(view), view.failure),
}

/** What stands in sight is what is signed. */
function agreed(view: PaymentView, value: unknown): PaymentView {
  const terms = readTerms(value)
  if (terms === null) return view
  const { amount, currency, description, products, summary, quote_id } = terms
  const { name: merchant_name, url: merchant_url } = terms.payee
  const bill = { amount, currency, description, products, summary, bought_here: quote_id !== null }
  return { ...view, agent: agreedAgent(view, terms), payment: { merchant_name, merchant_url, ...bill } }
}

/** What was bought here is paid when it is over; what the merchant takes the payment for is only approved. */
function words(outcome: SurfaceOutcome, view: PaymentView) {
  const bought = view.payment.bought_here ? text.bought[outcome] : undefined
  if (bought !== undefined) return bought
  const own = wordsOf(view)
  return { title: own.outcomes[outcome].title, text: outcomeText(own, outcome, view.failure) }
}

/** The ends of what an agent has asked for read otherwise. */
const wordsOf = ({ agent }: PaymentView) => (agent === null ? text : text.ofAgent)

/** What there is to keep of an approval; as much as the view holds of it. */
function receipt({ agent, payment, card, receipt }: PaymentView): ReceiptLine[] {
  const words = text.receipt
  return [
    { label: words.payee, value: payeeText({ name: payment.merchant_name, url: payment.merchant_url }) },
    ...(agent === null ? [] : [{ label: words.asker, value: [foreign(agent.name)] }]),
    { label: words.amount, value: [moneyPiece(payment.amount, payment.currency)] },
    ...keptLines(card, receipt, words.time),
  ]
}
