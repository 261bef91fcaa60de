import { CHARGE_STATUSES, EVENT_TYPES, PAYMENT_FAILURE_CODES, type StoredProduct } from '@mintmark/contract'

import { bigint, bool, int, json, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { many, one } from '../db/statement.ts'
import { FACT_KINDS } from '../network/events-port.ts'

// What an account sees of its payments. A charge's id begins with its time, so the key alone lists the newest first.

const PAYMENT = {
  id: text,
  sessionId: nullable(text),
  mandateId: nullable(text),
  quoteId: nullable(text),
  amountMinor: bigint,
  currency: text,
  payeeName: text,
  customer: nullable(text),
  agent: nullable(text),
  status: oneOf(CHARGE_STATUSES),
  failure: nullable(oneOf(PAYMENT_FAILURE_CODES)),
  /** What a failed payment has cost all the same. */
  countedMinor: nullable(bigint),
  createdAt: time,
}
export type PaymentRow = RowOf<typeof PAYMENT>

const COLUMNS = `c.id, case when c.launch_hash is not null then c.opened_by end as session_id, c.standing_mandate_id as mandate_id,
     c.quote_id, c.amount_minor, c.currency, c.payee_name, customers.external_user_id as customer,
     coalesce(c.asking_agent_name, agents.name) as agent, c.status, c.failure_code as failure, c.counted_minor, c.created_at`
/** A charge against a permission has the permission's customer. */
const BESIDE = `left join lateral (
     select customer_id, card_id from mandates where merchant_id = $merchantId and id = c.standing_mandate_id offset 0) mandates on true
   left join lateral (
     select external_user_id from customers
     where merchant_id = $merchantId and id = coalesce(c.customer_id, mandates.customer_id) offset 0) customers on true
   left join lateral (select name from agents where merchant_id = $merchantId and id = c.agent_id offset 0) agents on true`

export const listPayments = many(
  'console.list_payments',
  `select ${COLUMNS} from (
     select * from charges where merchant_id = $merchantId and id < $before order by id desc limit $limit) c
   ${BESIDE}
   order by c.id desc`,
  PAYMENT,
)

/** The same of one status, among the `most` newest: no index has what changes with each step. */
export const listPaymentsThat = many(
  'console.list_payments_that',
  `select ${COLUMNS} from (
     select * from (
       select * from charges where merchant_id = $merchantId and id < $before order by id desc limit $most) newest
     where status = $status order by id desc limit $limit) c
   ${BESIDE}
   order by c.id desc`,
  PAYMENT,
)

/** The newest of one permission. */
export const listPaymentsOf = many(
  'console.list_payments_of',
  `select ${COLUMNS} from (
     select * from charges where merchant_id = $merchantId and standing_mandate_id = $mandateId
     order by created_at desc, id desc limit $limit) c
   ${BESIDE}
   order by c.created_at desc, c.id desc`,
  PAYMENT,
)

/** Where such a look ends; none: fewer are left. */
export const findReach = one(
  'console.find_reach',
  `select id from charges where merchant_id = $merchantId and id < $before order by id desc offset $most limit 1`,
  { id: text },
)

const CARD = {
  cardBrand: nullable(text),
  cardLast4: nullable(text),
  cardMonth: nullable(int),
  cardYear: nullable(int),
}
const VIEW = {
  ...PAYMENT,
  ...CARD,
  orderId: text,
  externalOrderRef: nullable(text),
  reference: nullable(text),
  payeeUrl: text,
  products: json<StoredProduct[]>(),
  expiresAt: nullable(time),
  isClosed: bool,
  lapsesAt: nullable(time),
  reportedAt: nullable(time),
  updatedAt: time,
  openedBy: nullable(text),
}
export type PaymentView = RowOf<typeof VIEW>

const view = <const Condition extends string>(condition: Condition) =>
  `select ${COLUMNS}, cards.brand as card_brand, cards.last4 as card_last4, cards.exp_month::integer as card_month,
     cards.exp_year::integer as card_year, c.order_id, c.external_order_ref, c.reference, c.payee_url, c.products, c.expires_at,
     c.closed_at is not null as is_closed, c.lapses_at, c.reported_at, c.updated_at, c.opened_by
   from charges c
   ${BESIDE}
   left join cards on cards.merchant_id = $merchantId and cards.id = coalesce(c.card_id, mandates.card_id)
   where c.merchant_id = $merchantId and ${condition}` as const

export const findByCharge = one('console.find_by_charge', view('c.id = $id'), VIEW)
export const findBySession = one(
  'console.find_by_session',
  view('c.launch_hash is not null and c.opened_by = $id'),
  VIEW,
)

/** What was told of a payment and of its session, in order. */
export const listTold = many(
  'console.list_told',
  `select id, type, occurred_at from events
   where merchant_id = $merchantId and resource_id = any ($resources::text[]) order by feed_pos limit 100`,
  { id: text, type: oneOf(EVENT_TYPES), occurredAt: time },
)

/** What the network has seen of it. */
export const listFacts = many(
  'console.list_facts',
  `select kind, amount_minor, occurred_at from network_facts
   where merchant_id = $merchantId and charge_id = $chargeId order by occurred_at, id limit 100`,
  { kind: oneOf(FACT_KINDS), amountMinor: bigint, occurredAt: time },
)

/** When the session was approved. */
export const findApproval = one(
  'console.find_approval',
  `select approved_at from approvals
   where merchant_id = $merchantId and subject_type = 'session' and subject_id = $sessionId`,
  { approvedAt: time },
)

/**
 * The `most` newest payments: those since a moment by what became of them, and those of any age that wait for a person.
 * A report is overdue a day after the number lapsed, so never within the day that is counted.
 */
export const countPayments = many(
  'console.count_payments',
  `select currency, status, failure_code as failure, counted_minor is not null as was_counted, (count(*) filter (where created_at >= $since))::int as count,
     coalesce(sum(amount_minor) filter (where created_at >= $since), 0)::bigint as amount_minor,
     (count(*) filter (where status = 'minting' and created_at < $longAgo))::int as unknown_count,
     (count(*) filter (where status = 'awaiting_result' and overdue_at <= $at))::int as overdue_count
   from (select * from charges where merchant_id = $merchantId order by id desc limit $most) newest
   group by currency, status, failure_code, was_counted`,
  {
    ...{ currency: text, status: PAYMENT.status, failure: PAYMENT.failure, wasCounted: bool },
    ...{ count: int, amountMinor: bigint, unknownCount: int, overdueCount: int },
  },
)

/** The four first steps: when each was done, if it was. */
export const findFirst = one(
  'console.find_first',
  `select
     (select min(last_used_at) from api_keys where merchant_id = $merchantId) as key_used,
     coalesce(
       (select created_at from charges where merchant_id = $merchantId order by id limit 1),
       (select created_at from mandates where merchant_id = $merchantId and launch_hash is not null order by session_id limit 1),
       (select created_at from enrollments where merchant_id = $merchantId order by id limit 1)) as session_made,
     (select approved_at from approvals where merchant_id = $merchantId and subject_type = 'session'
       order by subject_id limit 1) as approved,
     (select finished_at from (
        select state, finished_at from webhook_deliveries where merchant_id = $merchantId order by id limit 1000) first
      where state = 'delivered' limit 1) as event_received`,
  { keyUsed: nullable(time), sessionMade: nullable(time), approved: nullable(time), eventReceived: nullable(time) },
)
