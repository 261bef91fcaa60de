import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { PaymentView } from '@mintmark/contract/wire/surface'
import { moneyPiece } from '../../money-text.ts'
import { filled, foreign, type Phrase, plainText } from '../../phrase.ts'
import { SHARED_STEPS } from '../../steps.ts'
import { text as sharedText } from '../../text/text.ts'
import { failureText, outcomeText } from '../endings.ts'
import type { Flow, TermLine } from '../flow.ts'
import { cardAgreed, keptLines, payeeText } from '../lines.ts'
import { paymentBill } from './bill.ts'
import { paymentTerms, readTerms } from './terms.ts'
import { text } from './text/text.ts'

/** A purchase: one amount to one merchant, approved once. */
export const paymentFlow: Flow<PaymentView> = {
  steps: SHARED_STEPS,
  words: text.shared,
  title: ({ payment }) =>
    plainText([moneyPiece(payment.amount, payment.currency), ' · ', foreign(payment.merchant_name)]),
  trust: ({ payment }) => filled(sharedText.trust, { merchant: foreign(payment.merchant_name) }),
  party: ({ payment }) => ({ name: payment.merchant_name, url: payment.merchant_url }),
  bill: paymentBill,
  say: ({ operator, payment: { merchant_name, amount, currency, bought_here } }) => {
    const said = { merchant: foreign(merchant_name), amount: moneyPiece(amount, currency) }
    return bought_here ? filled(text.sayBought, { ...said, operator: foreign(operator.name) }) : filled(text.say, said)
  },
  approvalTitle: approve,
  approvalAction: approve,
  terms: paymentTerms,
  agreed,
  processing: ({ payment }) => (payment.bought_here ? text.buying : null),
  outcome: (outcome, view) => ({
    ...words(outcome, view),
    receipt: outcome === 'approved' ? receipt(view) : [],
  }),
  failure: ({ failure }) => failureText(text, failure),
}

function approve({ payment: { amount, currency } }: PaymentView): Phrase {
  return filled(text.approve, { amount: moneyPiece(amount, currency) })
}

/** The payment as the terms have it. */
function agreed(view: PaymentView, value: unknown): PaymentView {
  const terms = readTerms(value)
  if (terms === null) return view
  const { payee, amount, currency, description, products, summary, quote_id } = terms
  const payment = {
    merchant_name: payee.name,
    merchant_url: payee.url,
    amount,
    currency,
    description,
    products,
    summary,
  }
  const card = cardAgreed(view, terms.card)
  return { ...view, card, payment: { ...payment, bought_here: quote_id !== null } }
}

/** What was bought here is paid when it is over; what the merchant takes the payment for is only approved. */
function words(outcome: SurfaceOutcome, { payment, failure }: PaymentView) {
  const bought = payment.bought_here ? boughtWords(outcome) : undefined
  if (bought !== undefined) return bought
  const amount = moneyPiece(payment.amount, payment.currency)
  const title = outcome === 'approved' ? filled(text.approved, { amount }) : text.outcomes[outcome].title
  return { title, text: outcomeText(text, outcome, failure) }
}

function boughtWords(outcome: SurfaceOutcome): { title: string; text: string } | undefined {
  return { ...text.bought }[outcome as keyof typeof text.bought]
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
