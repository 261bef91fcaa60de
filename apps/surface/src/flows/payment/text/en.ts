import type { PaymentFailure } from '@mintmark/contract/states'
import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { Amount, Foreign, Phrase } from '../../../phrase.ts'
import type { FlowText } from '../../flow.ts'
import type { BreakdownPart } from '../breakdown.ts'
import type { MoneyState } from '../money-state.ts'

/** What became of the payment. Each sentence about an end says last what became of the money. */
const outcomes: Record<SurfaceOutcome, { title: string; text: string }> = {
  // A later report that the payment was declined keeps this outcome, so it promises no order.
  approved: {
    title: 'Approved',
    text: 'What happens now: the merchant goes on with your order, and can charge once and no more than you approved.',
  },
  failed: {
    title: 'The payment did not go through',
    text: 'The merchant can tell you why, and whether anything was charged.',
  },
  cancelled: { title: 'Payment cancelled', text: 'You cancelled it. Nothing was charged.' },
  expired: {
    title: 'This payment has expired',
    text: 'The time to approve it is over. Start again from the page you came from. Nothing was charged.',
  },
  revoked: {
    title: 'The merchant withdrew this payment',
    text: 'Ask the merchant if you did not expect this. Nothing was charged.',
  },
}

/** The same of what an agent has asked for. It is withdrawn with the agent. */
const outcomesOfAgent: typeof outcomes = {
  ...outcomes,
  approved: {
    title: 'Approved',
    text: 'What happens now: your agent pays with a one-time card, which can be charged once and no more than you approved.',
  },
  failed: {
    title: 'The payment did not go through',
    text: 'Your agent can tell you why, and whether anything was charged.',
  },
  expired: {
    title: 'This payment has expired',
    text: 'The time to approve it is over. Your agent can ask again. Nothing was charged.',
  },
  revoked: {
    title: 'This payment was withdrawn',
    text: 'The agent that asked for it has ended. Nothing was charged.',
  },
}

/** A failure of the contract without words does not compile. */
const failures: Record<PaymentFailure, string> = {
  SESSION_EXPIRED: 'The time to approve it is over. Nothing was charged.',
  SESSION_REVOKED: 'It was withdrawn. Nothing was charged.',
  CANCELLED: 'You cancelled it. Nothing was charged.',
  // The approval could be used until it ran out, and may have been used without a report.
  MANDATE_EXPIRED: 'Your approval ran out before a payment was reported. Nothing more can be charged.',
  PAYMENT_DECLINED: 'The payment was reported as declined, and nothing was charged.',
  CARD_DECLINED: 'Your bank said no. Nothing was charged.',
  THRESHOLD_EXCEEDED: 'The amount is above what you approved, so it was refused. Nothing was charged.',
  MAX_CHARGES_EXCEEDED: 'What you approved was used already, so this was refused. Nothing more was charged.',
  AGENT_LIMIT_EXCEEDED: 'This is more than you allow your agent, so it was refused. Nothing was charged.',
  OWNER_DENIED: 'You said no to this. Nothing was charged.',
  OWNER_TIMEOUT: 'You were asked and did not answer in time. Nothing was charged.',
  DELIVERY_REFUSED: 'The shop did not take it. Nothing was charged.',
  REPORT_TIMEOUT: 'No payment was reported in time. Nothing more can be charged.',
  CREDENTIAL_LAPSED: 'Your approval was not used in time. Nothing was charged.',
  INSUFFICIENT_FUNDS: 'There was not enough money for it on your card. Nothing was charged.',
  MERCHANT_PREPARE_FAILED: 'The merchant does not sell this any more, or not at this price. Nothing was charged.',
  MERCHANT_ACTION_REQUIRED: 'The merchant could not finish this order. Ask the merchant if you see a charge.',
  PAYMENT_FAILED: 'The payment could not be prepared with your card. Nothing was charged.',
}

/** The service itself buys: the page may be closed meanwhile, and nothing depends on it. */
const buying: FlowText['processing'] = {
  title: 'Placing your order',
  text: 'You have approved. We order it at the merchant for you now.',
  slow: 'The merchant takes longer than usual. You may close this page: your order goes on without it, and nothing is bought or charged twice.',
}

/** Ends that read otherwise where the service itself buys: the merchant did not ask for the payment, and cannot withdraw it. */
const bought: Partial<typeof outcomes> = {
  approved: {
    title: 'Ordered and paid',
    text: 'What happens now: the merchant has your order. You were charged once, and no more than you approved.',
  },
  revoked: {
    title: 'This payment was withdrawn',
    text: 'It was withdrawn where it was asked for, and nothing is ordered. Nothing was charged.',
  },
}

/** Over the amount. */
const states: Record<MoneyState, string> = {
  toPay: 'To pay',
  inProgress: 'In progress',
  approved: 'Approved',
  paid: 'Paid',
  notCharged: 'Not charged',
  notCompleted: 'Not completed',
}

const breakdown: Record<BreakdownPart, string> = {
  subtotal: 'Subtotal',
  shipping: 'Delivery',
  tax: 'Tax',
  discount: 'Discount',
  otherCharges: 'Other charges, not listed by the merchant',
  otherReductions: 'Other reductions, not listed by the merchant',
  total: 'Total',
}

/** The words of the payment flow, in English. */
export const en = {
  outcomes,
  buying,
  bought,
  failures,
  ofAgent: { outcomes: outcomesOfAgent, failures },
  shared: {
    cancel: 'Cancel this payment?',
    enterCard: 'Pay with a card',
    keeping: {
      once: 'Use this card just this once',
      why: 'We keep it for your next payment, unless you tick this: then we delete it when this payment is over.',
      deleted: 'Deleted when this payment is over',
    },
    afterPasskey: 'Next you approve this payment with it.',
    processing: {
      title: 'Getting your payment ready',
      text: 'This takes a few seconds.',
      slow: 'The card network takes longer than usual. You have approved already and nothing is charged twice; keep this page open.',
    },
  } satisfies FlowText,
  approve: (amount: Amount): Phrase => ['Approve ', amount],
  action: (amount: Amount): Phrase => ['Approve ', amount],
  summary: {
    label: 'Payment',
    asker: (agent: Foreign): Phrase => ['Asked by ', agent],
    states,
    breakdown,
    all: (items: number) => (items === 1 ? 'See the whole bill' : `See all ${items} items`),
    less: 'See less',
  },
  receipt: {
    payee: 'Paid to',
    asker: 'Asked by',
    amount: 'Amount',
    time: 'Approved',
  },
}
