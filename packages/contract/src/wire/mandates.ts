import { type Static, Type } from 'typebox'
import {
  MANDATE_STATES,
  MANDATE_STATUSES,
  MAX_CHARGES_SHOWN,
  MERCHANT_SCOPES,
  RECURRING_FREQUENCIES,
  TRANSACTION_STATUSES,
} from '../states.ts'
import { dateTime, reference } from './common.ts'
import { NextCursor, PAGE_QUERY } from './page.ts'
import { nullable, oneOf, STRICT, text } from './schema.ts'

const money = (description: string) => text(description, '40.00')
const ChargeStatus = oneOf(TRANSACTION_STATUSES, { title: 'TransactionStatus', description: 'How the charge stands.' })

const LastCharge = Type.Object(
  { status: ChargeStatus, at: dateTime('When it last changed.') },
  { title: 'LastCharge', description: 'The newest charge of a mandate.' },
)

const MANDATE = {
  id: text('The mandate.', 'mdt_06gq2w9k5v8c3x1t7n4m0r2hzd'),
  agentId: nullable(Type.String(), 'The agent it was given to; null without one, as when it was given to a merchant.'),
  customerId: text('The customer who gave it.'),
  externalUserId: text('Your own name for the customer: the `user_id` of the session.', 'user-1'),
  state: oneOf(MANDATE_STATES, {
    title: 'MandateState',
    description:
      'Whether it can be charged now. `consumed`: its payment was made, or nothing remains until the next window.',
  }),
  status: oneOf(MANDATE_STATUSES, { title: 'MandateStatus', description: 'How it stands.' }),
  recurringFrequency: oneOf(RECURRING_FREQUENCIES, {
    title: 'RecurringFrequency',
    description: 'How long a window is, counted from the activation; `one_time` has one window, its whole life.',
  }),
  merchantScope: oneOf(MERCHANT_SCOPES, {
    description: 'Whether only the named merchant may be paid.',
  }),
  merchantName: text('The merchant, as the customer saw the name.', 'Tea House'),
  approvedAmount: money('What one charge, and one window, may cost at most.'),
  remaining: money('What is left of the current window. Indicative: the card network enforces the real cap.'),
  currency: text('Of every charge.', 'USD'),
  validUntil: nullable(dateTime('Its end.'), 'Nothing is charged from then on.'),
  renewsAt: nullable(
    dateTime('The next boundary of its windows.'),
    'Null for `one_time`, and when it is not active or paused. It may lie after `validUntil`: then the mandate ends first.',
  ),
  lastCharge: nullable(LastCharge, 'The newest charge; null when there was none.'),
  createdAt: dateTime('When it was made.'),
  updatedAt: dateTime('When it last changed.'),
}

export const Mandate = Type.Object(MANDATE, {
  title: 'Mandate',
  description: 'A permission to charge, given once with a passkey.',
})
export type Mandate = Static<typeof Mandate>

const MandateCharge = Type.Object(
  {
    transactionId: text('The charge.', 'txn_0n2hd4fz9w2r7c0m8k1q6t3x5v'),
    amount: money('What was charged.'),
    currency: text('Of the amount.', 'USD'),
    status: ChargeStatus,
    reference: nullable(Type.String(), 'Your own reference of the charge; null when you sent none.'),
    createdAt: dateTime('When it was made.'),
  },
  { title: 'MandateCharge', description: 'One charge of a mandate.' },
)

export const MandateDetail = Type.Object(
  {
    ...MANDATE,
    spent: money('What the charges of the current window come to: those that were paid, and those without an outcome.'),
    chargeCount: Type.Integer({ description: 'How many charges were paid, or have no outcome yet, in all.' }),
    charges: Type.Array(MandateCharge, {
      maxItems: MAX_CHARGES_SHOWN,
      description: `The newest ${MAX_CHARGES_SHOWN} charges, newest first, failed ones included.`,
    }),
  },
  { title: 'MandateDetail', description: 'A mandate with its charges.' },
)
export type MandateDetail = Static<typeof MandateDetail>

export const MandateList = Type.Object(
  { mandates: Type.Array(Mandate, { description: 'Newest first.' }), next_cursor: NextCursor },
  { title: 'MandateList', description: 'One page of mandates.' },
)
export type MandateList = Static<typeof MandateList>

/** The user, and the agent of theirs, that a dashboard asks for. */
const DASHBOARD = {
  dashboard_user_id: Type.Optional(
    reference(
      255,
      'Control-plane keys only, and needed there: the user of the dashboard. Only what is theirs is seen.',
    ),
  ),
  agent_id: Type.Optional(reference(64, 'Control-plane keys only: one agent of that user.')),
}

export const DashboardQuery = Type.Object(DASHBOARD, STRICT)
export type DashboardQuery = Static<typeof DashboardQuery>

/** The same names where nothing is for dashboards: a caller that sends one is told so. */
const OF_DASHBOARDS =
  'Always refused with `FORBIDDEN`: a dashboard neither charges nor reports, and a key of the merchant names no user.'
export const ChargingQuery = Type.Object(
  {
    dashboard_user_id: Type.Optional(reference(255, OF_DASHBOARDS)),
    agent_id: Type.Optional(reference(64, OF_DASHBOARDS)),
  },
  STRICT,
)

export const ListMandatesQuery = Type.Object(
  {
    customer_id: Type.Optional(
      reference(
        255,
        'Only of this customer: our `cus_` id, or else your own `user_id`. An unknown one has none. One that is both, of two customers, is refused.',
        'user-1',
      ),
    ),
    standing_only: Type.Optional(
      oneOf(['true', 'false'], {
        default: 'false',
        description: 'Leaves out the one-time mandates that ordinary checkouts make.',
      }),
    ),
    ...PAGE_QUERY,
    ...DASHBOARD,
  },
  STRICT,
)
export type ListMandatesQuery = Static<typeof ListMandatesQuery>

/** No rule on the form of an id: an id that is not one of ours is not found. */
export const MandateParams = Type.Object({ mandateId: text('The `id` of the mandate.') })
