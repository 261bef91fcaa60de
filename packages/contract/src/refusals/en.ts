import type { RefusalText } from './list.ts'

const WAIT = 'You need not do anything.'
const ASK_AGAIN = 'Ask the agent to try again.'

export const en: RefusalText = {
  causes: {
    SESSION_EXPIRED: { why: 'Nobody approved it before its time was over.', next: ASK_AGAIN },
    SESSION_REVOKED: { why: 'It was called off before you approved it.', next: WAIT },
    CANCELLED: { why: 'You said no on the page where it was to be approved.', next: WAIT },
    MANDATE_EXPIRED: {
      why: 'The permission had ended, or nobody said in time what became of the payment.',
      next: 'Ask the agent for a new permission if you want it to go on.',
    },
    PAYMENT_DECLINED: {
      why: 'The shop reported that it was not paid.',
      next: 'Ask the shop why, then let the agent try again.',
    },
    CARD_DECLINED: {
      why: 'The bank of your card declined it.',
      next: 'Ask your bank, or let the agent pay with another card.',
    },
    THRESHOLD_EXCEEDED: {
      why: 'It is more than is left of the permission.',
      next: 'Wait until the permission begins anew, or permit more.',
    },
    MAX_CHARGES_EXCEEDED: {
      why: 'The permission is for no more charges.',
      next: 'Give the agent a new permission if you want it to go on.',
    },
    AGENT_LIMIT_EXCEEDED: {
      why: 'It is over a limit that you set for the agent.',
      next: 'Look at the limits of the agent, and raise the one that is too low.',
    },
    OWNER_DENIED: { why: 'You were asked, and said no.', next: WAIT },
    OWNER_TIMEOUT: {
      why: 'You were asked, and nobody answered in time.',
      next: 'Raise the limit if it should pass next time.',
    },
    DELIVERY_REFUSED: { why: 'The shop did not take the payment for this purchase.', next: ASK_AGAIN },
    REPORT_TIMEOUT: {
      why: 'For 30 days nobody reported what became of it.',
      next: 'Look at your card’s statement: if it was charged, tell the shop.',
    },
    CREDENTIAL_LAPSED: { why: 'The number that was made was not used in time.', next: ASK_AGAIN },
    INSUFFICIENT_FUNDS: {
      why: 'There is not enough money on your card.',
      next: 'Top up the card, or let the agent pay with another one.',
    },
    MERCHANT_PREPARE_FAILED: {
      why: 'The shop does not sell it any more, or not at that price.',
      next: 'Ask the agent to look for it again.',
    },
    MERCHANT_ACTION_REQUIRED: {
      why: 'The shop wanted something that only a person can give.',
      next: 'Buy it at the shop yourself.',
    },
    PAYMENT_FAILED: { why: 'The payment could not be made.', next: 'Let the agent try again later.' },
    MANDATE_NOT_ACTIVE: {
      why: 'The permission is paused, or has ended.',
      next: 'Let the permission go on, or give a new one.',
    },
    MANDATE_MERCHANT_NOT_ALLOWED: {
      why: 'The permission is for another shop.',
      next: 'Give the agent a permission for this shop if you want it.',
    },
    NO_INSTRUCTION: {
      why: 'The card network does not know the permission yet.',
      next: 'Wait a minute, then let the agent try again.',
    },
    NO_ORDER: { why: 'The permission belongs to no order.', next: 'Give the agent a new permission.' },
    NO_TOKEN: {
      why: 'There is no answer from the card network yet.',
      next: 'Wait: nothing is lost, and nothing is charged twice.',
    },
  },
  limits: {
    currency: {
      why: 'It is in another currency than you allow.',
      next: 'Change the currency of the limits if you want it.',
    },
    merchants: { why: 'It is at a shop that you have not named.', next: 'Add the shop to the limits if you want it.' },
    hours: {
      why: 'It came outside the hours that you named.',
      next: 'Let the agent try again within them, or widen them.',
    },
    charge: {
      why: 'It is more than you allow for one charge.',
      next: 'Allow this one while it waits, or raise the limit a charge.',
    },
    open: {
      why: 'Too many charges are open at once.',
      next: 'Wait until one is reported, or allow more at once.',
    },
    day: { why: 'It would pass the limit of the day.', next: 'Allow this one while it waits, or wait until tomorrow.' },
    month: {
      why: 'It would pass the limit of the month.',
      next: 'Allow this one while it waits, or raise the limit a month.',
    },
    ask_above: { why: 'It is of an amount at which you want to be asked.', next: 'Answer it while it waits.' },
    ask_repeats: { why: 'It repeats a charge of the last five minutes.', next: 'Allow it only if you want it twice.' },
    mandate: {
      why: 'It is more than is left of the permission.',
      next: 'Permit this one while it waits, or permit more.',
    },
    max_charges: {
      why: 'The permission is for no more charges.',
      next: 'Permit this one while it waits, or give a new permission.',
    },
    shop: {
      why: 'The permission is for another shop.',
      next: 'Permit this one while it waits, or give a permission for this shop.',
    },
  },
}
