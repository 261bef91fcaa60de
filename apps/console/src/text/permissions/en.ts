import type { MandateState, RecurringFrequency } from '@mintmark/contract/states'
import type { Standing } from '../../permissions/story.ts'

/** Words of permissions: their list, and one with its window. */
export const en = {
  title: 'Permissions',
  none: 'No permission yet. The first one comes when your backend makes a session that asks for one:',
  columns: { permission: 'Permission', state: 'State', customer: 'Customer', made: 'Made' },
  filterBy: 'Which permissions',
  all: 'All',
  states: {
    available: 'Can be charged',
    consumed: 'Used up',
    paused: 'Paused',
    pending: 'Waiting',
    cancelled: 'Cancelled',
    expired: 'Over',
  } satisfies Record<MandateState, string>,
  caps: {
    one_time: (sum: string) => `${sum} once`,
    weekly: (sum: string) => `${sum} a week`,
    monthly: (sum: string) => `${sum} a month`,
    yearly: (sum: string) => `${sum} a year`,
  } satisfies Record<RecurringFrequency, (sum: string) => string>,
  at: 'at',
  anywhere: 'any shop',
  leftNow: (sum: string) => `${sum} left`,
  customerGone: 'no customer',
  byAgent: 'by an agent',

  back: 'Permissions',
  story: {
    available: { what: 'It can be charged.', next: 'Each charge and each window stays within the cap.' },
    used_up: { what: 'Nothing is left of this window.', next: 'Charge again when it renews.' },
    used_up_for_good: {
      what: 'Nothing is left of it, and it does not renew.',
      next: 'Ask your customer for another one when you need to charge again.',
    },
    paid: { what: 'It was for one payment, which was made.', next: 'There is nothing to do.' },
    paused: {
      what: 'It is paused, and every charge is refused.',
      next: 'It goes on when whoever may resume it does so.',
    },
    cancelled: {
      what: 'It was cancelled, and cannot be charged any more.',
      next: 'Ask your customer for another one when you need to charge again.',
    },
    expired: {
      what: 'Its time is over.',
      next: 'Ask your customer for another one when you need to charge again.',
    },
    not_approved: {
      what: 'The cardholder did not approve it in time.',
      next: 'Make another session when the customer wants to try again.',
    },
    pending: {
      what: 'It waits for the cardholder, who has not approved yet.',
      next: 'Show the page of the session to your customer.',
    },
    registering: {
      what: 'It was approved, and the network has not confirmed it yet.',
      next: 'Wait: we go on asking, and this page says when it answers.',
    },
  } satisfies Record<Standing, { what: string; next: string }>,
  window: 'This window',
  windowOfOne: 'The payment',
  leftOf: (left: string, cap: string) => `${left} left of ${cap}`,
  used: (sum: string) => `${sum} spent`,
  held: (sum: string) => `${sum} held, without an outcome`,
  renews: (time: string) => `Renews ${time}`,
  endsFirst: (time: string) => `Ends ${time}, before it would renew`,
  ends: (time: string) => `Ends ${time}`,
  ended: (time: string) => `Ended ${time}`,
  charges: 'Its charges',
  chargesNone: 'It was not charged yet.',
  chargesNewest: 'These are the newest ones.',
  signed: 'What the cardholder read and signed',
  notSigned: 'Nothing was signed, or it is not kept any more.',
  evidence: 'Signed by a passkey',
  aboutTitle: 'About it',
  ids: { permission: 'Permission', agent: 'Agent' },
  facts: {
    customer: 'Customer',
    shop: 'Shop',
    agent: 'Agent',
    count: 'Charges',
    renews: 'Renews',
    ends: 'Ends',
    ended: 'Ended',
    made: 'Made',
  },
  count: (count: number, most: number | null) => (most === null ? String(count) : `${count} of ${most}`),
  noEnd: 'Counted from its approval',
}
