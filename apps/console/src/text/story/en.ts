import type { StoryTable } from '../../payments/story.ts'

const REPORT = 'Report its outcome, then it is closed.'
const NEW_SESSION = 'Make another session when the customer wants to try again.'
const NOTHING = 'There is nothing to do.'
const WAIT = 'Wait, and do not pay another way: we go on asking the network, and this page says when it answers.'

export const en: StoryTable = {
  initiated: {
    described: {
      what: 'It waits for the cardholder, who has not approved yet.',
      next: 'Show the page of the session to your customer.',
    },
    quoted: {
      what: 'It waits for the cardholder, who has not approved the quote yet.',
      next: 'Show the page of the session to your customer.',
    },
    permission: {
      what: 'The charge was taken, and the network has not been asked for its one-time card yet.',
      next: 'Read its result in a moment.',
    },
  },
  minting: { what: 'The network was asked for a one-time card, and has not answered yet.', next: WAIT },
  awaiting_result: {
    nothing_yet: {
      what: 'It was approved, and its one-time card is being made.',
      next: 'Read its result in a moment.',
    },
    held: {
      what: 'Its one-time card is ready, and nobody has told us what became of it.',
      next: 'Pay with the card, then report the outcome.',
    },
    charged: { what: 'The network has seen the payment, and your report is missing.', next: REPORT },
    not_charged: { what: 'The network has seen that nothing was paid, and your report is missing.', next: REPORT },
    not_known: { what: 'The card may have been used, and nobody has told us what became of it.', next: REPORT },
  },
  completed: {
    nothing_yet: { what: 'It was reported as paid.', next: NOTHING },
    held: { what: 'It was reported as paid, and the network has not taken the money yet.', next: NOTHING },
    charged: { what: 'It was paid.', next: NOTHING },
    not_charged: { what: 'It was paid, and the money was given back since.', next: NOTHING },
    not_known: { what: 'It was reported as paid, and the network has not confirmed it yet.', next: WAIT },
  },
  failed: {
    SESSION_EXPIRED: { what: 'The cardholder did not approve in time.', next: NEW_SESSION },
    SESSION_REVOKED: { what: 'Your backend revoked the session before it was paid.', next: NOTHING },
    CANCELLED: { what: 'The cardholder said no on the page.', next: NEW_SESSION },
    MANDATE_EXPIRED: {
      what: 'What was approved ran out before an outcome was reported.',
      next: 'Look whether your shop took the payment. Report within the time that the card works.',
    },
    PAYMENT_DECLINED: {
      what: 'You reported that the shop declined the payment.',
      next: 'Ask the shop why, then make another session.',
    },
    CARD_DECLINED: {
      what: 'The bank declined the card.',
      next: 'Let the customer pay with another card, in another session.',
    },
    THRESHOLD_EXCEEDED: {
      what: 'The amount is more than what was approved, or than what is left of it.',
      next: 'Charge less, wait for the next window of the permission, or ask for a larger one.',
    },
    MAX_CHARGES_EXCEEDED: {
      what: 'The permission allows no further charge.',
      next: 'Ask the customer for another permission.',
    },
    AGENT_LIMIT_EXCEEDED: {
      what: 'The owner of the agent allows it less.',
      next: 'Ask the owner to raise the limit, or charge less.',
    },
    OWNER_DENIED: { what: 'The owner of the agent was asked, and said no.', next: NOTHING },
    OWNER_TIMEOUT: {
      what: 'The owner of the agent was asked, and did not answer in time.',
      next: 'Let the agent ask again when its owner is there.',
    },
    DELIVERY_REFUSED: {
      what: 'The shop does not take this charge for its checkout.',
      next: 'Begin the checkout at the shop anew, then charge again.',
    },
    REPORT_TIMEOUT: {
      what: 'No outcome was reported within 30 days.',
      next: 'Look at the books of your shop, and report in time from now on.',
    },
    CREDENTIAL_LAPSED: {
      what: 'The one-time card ran out before it was used.',
      next: 'Make another one, and pay with it at once.',
    },
    INSUFFICIENT_FUNDS: {
      what: 'The card has not enough money.',
      next: 'Let the customer pay with another card, in another session.',
    },
    MERCHANT_PREPARE_FAILED: {
      what: 'The shop does not sell what was quoted any more, or not at that price.',
      next: 'Ask for another quote.',
    },
    MERCHANT_ACTION_REQUIRED: {
      what: 'The shop wanted something that only a person could give.',
      next: 'Let the customer buy it at the shop.',
    },
    PAYMENT_FAILED: { what: 'The payment could not be made.', next: 'Try again later, in another session.' },
  },
  failedWithout: { what: 'It ended without a payment, and no reason was given.', next: 'Try again later.' },
  failedBut: {
    held: 'Its one-time card may still be used: make no second one before it runs out.',
    charged: 'The network has taken money for it all the same: refund it at your shop, or deliver.',
    not_known: WAIT,
  },
  money: {
    nothing_yet: () => 'No money has moved yet.',
    held: (sum) => `${sum} may be taken; nothing is charged so far.`,
    charged: (sum) => `${sum} was charged.`,
    not_charged: () => 'Nothing was charged.',
    not_known: (sum) => `It is not known yet whether ${sum} was charged.`,
  },
}
