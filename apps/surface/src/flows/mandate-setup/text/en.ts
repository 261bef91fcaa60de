import type { RecurringFrequency, SetupFailure } from '@mintmark/contract/states'
import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { Amount, Foreign, Phrase, Piece } from '../../../phrase.ts'
import type { FlowText } from '../../flow.ts'
import type { PermissionState } from '../permission-state.ts'

const NOTHING = 'Nothing was allowed and nothing was charged.'

/** What became of the permission. Each sentence about an end says last what became of the money. */
const outcomes: Record<SurfaceOutcome, { title: string; text: string }> = {
  approved: {
    title: 'Allowed',
    text: 'From now on this card can be charged within these limits. You can pause or end it at any time: ask the merchant. Nothing was charged now.',
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
}

/** The same of what an agent has asked for. It is withdrawn with the agent, or with the question that it was asked for. */
const outcomesOfAgent: typeof outcomes = {
  ...outcomes,
  approved: {
    title: 'Allowed',
    text: 'From now on your agent can pay with this card within these limits. Nothing was charged now.',
  },
  failed: { title: 'This could not be allowed', text: `Your agent can tell you why. ${NOTHING}` },
  expired: {
    title: 'This request has expired',
    text: `The time to allow it is over. Your agent can ask again. ${NOTHING}`,
  },
  revoked: {
    title: 'This request was withdrawn',
    text: `You answered it elsewhere, or the agent that asked has ended. ${NOTHING}`,
  },
}

/** A failure of the contract without words does not compile. */
const failures: Record<SetupFailure, string> = {
  SESSION_EXPIRED: `The time to allow it is over. ${NOTHING}`,
  SESSION_REVOKED: `It was withdrawn. ${NOTHING}`,
  CANCELLED: `You cancelled it. ${NOTHING}`,
  CARD_DECLINED: `Your bank said no to this. ${NOTHING}`,
  PAYMENT_FAILED: `This could not be set up with your card. ${NOTHING}`,
}

/** Over the limit. */
const states: Record<PermissionState, string> = {
  toAllow: 'May be charged without asking again, at most',
  inProgress: 'In progress',
  allowed: 'Allowed',
  notAllowed: 'Not allowed',
  ended: 'Ended',
}

const each: Record<RecurringFrequency, string> = {
  one_time: ', once',
  weekly: ' each week',
  monthly: ' each month',
  yearly: ' each year',
}

const FROM_PERMISSION = '7 days from your permission'
const NO_CHARGE = 'Nothing is charged now.'
const times = (count: number) => (count === 1 ? 'once' : `${count} times`)
const limit = (amount: Amount, frequency: RecurringFrequency): readonly Piece[] => ['Up to ', amount, each[frequency]]

/** The words of a standing permission, in English. */
export const en = {
  outcomes,
  failures,
  ofAgent: { outcomes: outcomesOfAgent, failures },
  shared: {
    cancel: 'Cancel without allowing this?',
    enterCard: 'Enter the card that may be charged',
    keeping: 'We keep this card for the charges that you allow, and for your next payment.',
    afterPasskey: 'Next you allow this with it. Nothing is charged now.',
    processing: {
      title: 'Setting up what you allowed',
      text: 'This takes a few seconds. Nothing is charged now.',
      slow: 'The card network takes longer than usual. You have allowed it already and nothing is charged now; keep this page open.',
    },
  } satisfies FlowText,
  allow: (asker: Foreign): Phrase => ['Allow ', asker, ' to charge your card'],
  action: (amount: Amount, frequency: RecurringFrequency): Phrase => ['Allow up to ', amount, each[frequency]],
  limit,
  /** Beside the cap. */
  each: { one_time: 'once', weekly: 'a week', monthly: 'a month', yearly: 'a year' } satisfies Record<
    RecurringFrequency,
    string
  >,
  only: (place: Foreign): Phrase => ['At ', place, ' only'],
  anywhere: 'At any shop',
  most: (amount: Amount): Phrase => ['At most ', amount, ' in all'],
  summary: {
    label: 'What you allow',
    states,
    count: (count: number) => `At most ${times(count)}`,
    until: (date: Foreign): Phrase => ['Until ', date],
    fromPermission: `For ${FROM_PERMISSION}`,
    note: (merchant: Foreign): Phrase => [`${NO_CHARGE} To pause or end it, ask `, merchant, '.'],
    noteOfAgent: (page: Foreign): Phrase => [`${NO_CHARGE} You can change or end it at any time at `, page, '.'],
    noCharge: NO_CHARGE,
    who: (agent: Foreign): Phrase => [agent, ' may charge'],
  },
  receipt: {
    who: 'Who may charge',
    limit: 'How much',
    count: 'How often',
    where: 'Where',
    until: 'Until',
    fromPermission: FROM_PERMISSION,
    most: 'In all',
    mostOf: (total: Amount): Phrase => ['At most ', total],
    time: 'Allowed',
  },
  limits: {
    open: 'Change the limits',
    amount: (frequency: RecurringFrequency, currency: string) =>
      `Limit${each[frequency].replace(', once', '')}, in ${currency}`,
    amountHint: (most: Amount): Phrase => ['At most ', most],
    amountMissing: 'Enter the limit.',
    amountUnreadable: (example: string) => `Enter the limit as an amount, such as ${example}.`,
    amountZero: 'The limit must be more than zero.',
    amountAbove: (most: Amount): Phrase => ['The limit can be ', most, ' at most: it can be lowered, not raised.'],
    amountRefused: 'This limit was not accepted. Enter a lower one.',
    until: 'End date',
    untilHint: (last: Foreign): Phrase => ['At the latest ', last],
    untilMissing: 'Enter the end date.',
    untilPast: 'The end date must be after today.',
    untilLate: (last: Foreign): Phrase => [
      'The end date can be ',
      last,
      ' at the latest: it can be earlier, not later.',
    ],
    untilRefused: 'This end date was not accepted. Enter an earlier one.',
    submit: 'Use these limits',
    busy: 'Changing the limits…',
    changed: 'The limits are changed.',
  },
}
