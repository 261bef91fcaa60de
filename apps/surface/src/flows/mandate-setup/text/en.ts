import type { MerchantScope, RecurringFrequency, SetupFailure } from '@mintmark/contract/states'
import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { FlowText } from '../../flow.ts'
import type { PermissionState } from '../permission-state.ts'

const NOTHING = 'Nothing was allowed and nothing was charged.'

/** What became of the permission. Each sentence about an end says last what became of the money. */
const outcomes = {
  approved: {
    title: 'Allowed',
    text: 'From now on this card can be charged within these limits. You can pause or end it at any time, without asking anybody. Nothing was charged now.',
  },
  failed: { title: 'This could not be allowed', text: `The merchant can tell you why. ${NOTHING}` },
  cancelled: { title: 'Not allowed', text: `You cancelled it. ${NOTHING}` },
  expired: {
    title: 'This request has expired',
    text: `The time to allow it is over. Start again from the page you came from. ${NOTHING}`,
  },
  revoked: {
    title: 'The merchant withdrew this request',
    text: `Ask the merchant if you did not expect this. ${NOTHING}`,
  },
} as const satisfies Record<SurfaceOutcome, { title: string; text: string }>

/** A failure of the contract without words does not compile. */
const failures = {
  SESSION_EXPIRED: `The time to allow it is over. ${NOTHING}`,
  SESSION_REVOKED: `The merchant withdrew it. ${NOTHING}`,
  CANCELLED: `You cancelled it. ${NOTHING}`,
  CARD_DECLINED: `Your bank said no to this. ${NOTHING}`,
  PAYMENT_FAILED: `This could not be set up with your card. ${NOTHING}`,
} as const satisfies Record<SetupFailure, string>

/** Over the limit. */
const states = {
  toAllow: 'May charge, without asking again, at most',
  inProgress: 'In progress',
  allowed: 'Allowed',
  notAllowed: 'Not allowed',
  ended: 'Ended',
} as const satisfies Record<PermissionState, string>

const each = {
  one_time: '{amount}, once',
  weekly: '{amount} each week',
  monthly: '{amount} each month',
  yearly: '{amount} each year',
} as const satisfies Record<RecurringFrequency, string>

const FROM_PERMISSION = '7 days from your permission'

/** The words of a standing permission, in English. */
export const en = {
  outcomes,
  failures,
  shared: {
    cancel: { start: 'Not now', question: 'Cancel without allowing this?' },
    enterCard: 'Enter the card that may be charged',
    keeping: '{operator} keeps this card for the charges that you allow, and for your next payment.',
    afterPasskey: 'You confirm twice: once to make it, and once to allow this. Nothing is charged now.',
    processing: {
      title: 'Setting up what you allowed',
      text: 'This takes a few seconds. Nothing is charged now.',
      slow: 'The card network takes longer than usual. You have allowed it already and nothing is charged now; keep this page open.',
    },
  } as const satisfies FlowText,
  allow: 'Allow {merchant} to charge your card',
  /** A limit, as the texts below name it. */
  each,
  action: 'Allow up to {limit}',
  /** Exactly what is allowed. */
  say: '{merchant} may charge up to {limit}, {where}, {until}. The most this can ever cost you is {most}. You can pause or end it at any time: ask {merchant}. Nothing is charged now.',
  /** Parts of it. */
  where: { listed: 'only there', any: 'at any shop' } satisfies Record<MerchantScope, string>,
  until: 'until {date}',
  span: `for ${FROM_PERMISSION}`,
  limit: 'Up to {limit}',
  only: 'At {place} only',
  anywhere: 'At any shop',
  most: 'At most {amount} in all',
  summary: {
    label: 'What you allow',
    states,
    count: { one: 'At most once', other: 'At most {count} times' },
    until: 'Until {date}',
    fromPermission: `For ${FROM_PERMISSION}`,
    stop: 'You can pause or end it at any time',
    never: ['Never sees your card number', 'Cannot raise these limits'],
  },
  terms: {
    who: 'Who may charge',
    limit: 'How much',
    count: 'How often',
    where: 'Where',
    until: 'Until',
    approveBy: 'Allow by',
    /** The cap holds for each charge and for those of one window together. */
    several: 'Up to {limit}, in one charge or in several',
    once: 'Once',
    anew: {
      weekly: 'Each week anew, counted from the day you allow it',
      monthly: 'Each month anew, counted from the day you allow it',
      yearly: 'Each year anew, counted from the day you allow it',
    },
    anewSoOften: { one: '{anew}; at most once in all', other: '{anew}; at most {count} times in all' },
    fromPermission: FROM_PERMISSION,
    most: 'In all',
    mostOf: 'At most {total}',
  },
  receipt: { time: 'Allowed' },
  limits: {
    lower: 'Allow less',
    open: 'Change the limits',
    amount: {
      one_time: 'Limit, in {currency}',
      weekly: 'Limit each week, in {currency}',
      monthly: 'Limit each month, in {currency}',
      yearly: 'Limit each year, in {currency}',
    },
    amountHint: 'At most {most}',
    amountMissing: 'Enter the limit.',
    amountUnreadable: 'Enter the limit as an amount, such as {example}.',
    amountZero: 'The limit must be more than zero.',
    amountAbove: 'The limit can be {most} at most: it can be lowered, not raised.',
    amountRefused: 'This limit was not accepted. Enter a lower one.',
    until: 'End date',
    untilHint: 'At the latest {last}',
    untilMissing: 'Enter the end date.',
    untilPast: 'The end date must be after today.',
    untilLate: 'The end date can be {last} at the latest: it can be earlier, not later.',
    untilRefused: 'This end date was not accepted. Enter an earlier one.',
    submit: 'Use these limits',
    busy: 'Changing the limits…',
    changed: 'The limits are changed.',
  },
} as const
