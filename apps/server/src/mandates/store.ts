import { MANDATE_STATUSES, MERCHANT_SCOPES, RECURRING_FREQUENCIES } from '@mintmark/contract'
import { bigint, bool, bytes, columns, int, json, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { many, one } from '../db/statement.ts'
import { INSERT_EVENT } from '../events/fragments.ts'
import { closeWork, openWork } from '../jobs/fragments.ts'
import { dueWork } from '../jobs/work.ts'
import { originList } from '../platform/states.ts'
import {
  JOIN_LAST_CHARGE,
  JOIN_LISTED_CHARGES,
  LAST_CHARGE,
  LISTED_PURCHASE,
  type ListedCharge,
  lastCharge,
} from './charge-fragments.ts'
import { JOIN_PURCHASE, purchaseOf } from './fragments.ts'
import { ONE_PAYMENT } from './rules.ts'
import { MANDATE_TRANSITIONS } from './states.ts'

/** A mandate that ends wakes this job, so that what the network may still mint is voided within milliseconds. */
export const END_JOB = 'mandates.end'

/**
 * Mandates that are approved and to be registered, that ended and the network has still to be told, and standing ones,
 * to be ended when their time is over.
 */
export const mandateWork = dueWork('mandates', 'mandate', {
  job: END_JOB,
  // The charge of a purchase that ended with a credential whose outcome was not reported: its session was revoked
  // after the approval, so that it was never given out, or its time passed without a report.
  shape: { status: oneOf(MANDATE_STATUSES), endedChargeId: nullable(text) },
  list: 'mandates.status, mandates.ended_charge_id',
  joins: `join lateral (
     select status, null::text as ended_charge_id from mandates where merchant_id = $merchantId and id = work.id
     union all
     ${purchaseOf(
       `charges.mandate_status, case when charges.failure_code in ('SESSION_REVOKED', 'MANDATE_EXPIRED') then charges.id end`,
       'work.id',
     )} offset 0) mandates on true`,
})

/** The mandate as its mover read it, in time; the move counts as a change that is captured. */
const ROW_AS_READ = 'merchant_id = $merchantId and id = $id and version = $version' as const
const AS_READ = `${ROW_AS_READ} and valid_until > $at` as const
const MOVED = 'version = version + 1, updated_at = $at'
const CAPTURED = { resourceId: text }

/** Its owner holds it. None: it is not as it was read; nothing is written. */
export const updatePaused = one(
  'mandates.update_paused',
  `with changed as (
     update mandates set status = 'paused', ${MOVED}
     where ${AS_READ} and status in (${originList(MANDATE_TRANSITIONS, 'paused')})
     returning id
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** Its owner lets it go on. None: as above. */
export const updateResumed = one(
  'mandates.update_resumed',
  `with changed as (
     update mandates set status = 'active', ${MOVED}
     where ${AS_READ} and status in (${originList(MANDATE_TRANSITIONS, 'active', ['paused'])})
     returning id
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** Its owner ends it, and the work begins to tell the network. None: as above. */
export const updateCancelledByOwner = one(
  'mandates.update_cancelled_by_owner',
  `with changed as (
     update mandates set status = 'cancelled', ended_at = $at, ${MOVED}
     where ${AS_READ} and status in (${originList(MANDATE_TRANSITIONS, 'cancelled', ['active', 'paused'])})
     returning id
   ), cancelling as (
     ${openWork('mandate', 'changed', '$at')}
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

/**
 * The time of a standing mandate is over, and nothing is left to do. None: it is not as it was read, or has time left.
 */
export const updateExpiredByTime = one(
  'mandates.update_expired_by_time',
  `with changed as (
     update mandates set status = 'expired', ended_at = $at, ${MOVED}
     where ${ROW_AS_READ} and valid_until <= $at
       and status in (${originList(MANDATE_TRANSITIONS, 'expired', ['active', 'paused'])})
     returning id
   ), closed as (
     ${closeWork('mandate', 'changed')}
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

const OWN = {
  merchantId: text,
  id: text,
  customerId: text,
  agentId: nullable(text),
  ownerSeal: nullable(bytes),
  orderId: nullable(text),
  status: oneOf(MANDATE_STATUSES),
  frequency: oneOf(RECURRING_FREQUENCIES),
  merchantScope: oneOf(MERCHANT_SCOPES),
  payeeName: text,
  payeeUrl: text,
  approvedMinor: bigint,
  currency: text,
  maxCharges: nullable(int),
  validUntil: time,
  windowEndsAt: nullable(time),
  windowSpentMinor: bigint,
  chargeCount: int,
  version: int,
  createdAt: time,
  activatedAt: nullable(time),
  endedAt: nullable(time),
}
const MANDATE = {
  ...OWN,
  /** It is for one purchase, and is in the row of its charge. */
  perCheckout: bool,
  /** That charge. Null of a standing mandate. */
  chargeId: nullable(text),
  isApproved: bool,
  /** Until when it may be approved; null where that is no question: it was, or has ended, or is of a checkout. */
  approveBy: nullable(time),
  externalUserId: text,
  changedAt: time,
  ...LAST_CHARGE,
}
/** A mandate with its customer and its newest charge, read in one moment. */
export type MandateRow = RowOf<typeof MANDATE>

/** Activation and end are written by statements about charges, which need not write the time twice. */
const MANDATE_COLUMNS = `${columns(OWN, 'mandates')}, false as per_checkout, null::text as charge_id,
     mandates.approval_hash is not null as is_approved,
     case when mandates.status = 'pending' and mandates.approval_hash is null then mandates.expires_at end as approve_by, customers.external_user_id,
     greatest(mandates.updated_at, mandates.created_at, mandates.activated_at, mandates.ended_at) as changed_at,
     ${lastCharge('last_charge')}`
const JOINS = `join lateral (
     select external_user_id from customers where merchant_id = $merchantId and id = mandates.customer_id offset 0) customers on true
   ${JOIN_LAST_CHARGE}`

/** A standing mandate with its newest charges, of one moment: the numbers and the charges agree. */
export const findMandate = one(
  'mandates.find',
  `select ${MANDATE_COLUMNS}, listed_charges from mandates ${JOINS} ${JOIN_LISTED_CHARGES}
   where mandates.merchant_id = $merchantId and mandates.id = $id`,
  { ...MANDATE, listedCharges: json<ListedCharge[]>() },
)

/** The same of a purchase: what does not change of it, or is of standing ones alone, is no column. */
const PURCHASE_COLUMNS =
  `charges.merchant_id, charges.mandate_id as id, charges.customer_id, charges.asking_agent_id as agent_id,
     null::bytea as owner_seal, null::text as order_id, charges.mandate_status as status, '${ONE_PAYMENT.frequency}' as frequency,
     '${ONE_PAYMENT.merchantScope}' as merchant_scope, charges.payee_name, charges.payee_url, charges.amount_minor as approved_minor,
     charges.currency, ${ONE_PAYMENT.maxCharges} as max_charges, charges.valid_until, null::timestamptz as window_ends_at,
     0::bigint as window_spent_minor, 0 as charge_count, charges.mandate_version as version, charges.approved_at as created_at,
     null::timestamptz as activated_at, null::timestamptz as ended_at, true as per_checkout, charges.id as charge_id,
     true as is_approved, null::timestamptz as approve_by, customers.external_user_id,
     greatest(charges.approved_at, charges.mandate_changed_at) as changed_at, ${lastCharge('charges')}` as const
const JOIN_CUSTOMER = `join lateral (
     select external_user_id from customers where merchant_id = $merchantId and id = charges.customer_id offset 0) customers on true` as const

export const findOfPurchase = one(
  'mandates.find_of_purchase',
  `select ${PURCHASE_COLUMNS}, ${LISTED_PURCHASE} as listed_charges from approvals ${JOIN_PURCHASE} ${JOIN_CUSTOMER}
   where approvals.merchant_id = $merchantId and approvals.mandate_id = $id`,
  { ...MANDATE, listedCharges: json<ListedCharge[]>() },
)

/** Says only that there is such a mandate. Crosses merchants by its nature: it is not the caller's. */
export const findAnywhere = one(
  'mandates.find_anywhere',
  'select id from mandates where id = $id union all select mandate_id from approvals where mandate_id = $id',
  { id: text },
)

/** Standing ones, newest first, below the id of the last one of the page before. */
const page = <const Condition extends string>(condition: Condition) =>
  `select ${MANDATE_COLUMNS} from (
     select * from mandates where merchant_id = $merchantId and id < $before ${condition} order by id desc limit $limit) mandates
   ${JOINS} order by mandates.id desc` as const
const OF_CUSTOMER = 'and customer_id = $customerId'
// Statements of their own: with "or no agent is asked for" the planner expects next to nothing, and sorts all that the
// customer has.
const OF_AGENT = `${OF_CUSTOMER} and agent_id = $agentId` as const

export const listStanding = many('mandates.list_standing', page(''), MANDATE)
export const listStandingOfCustomer = many('mandates.list_standing_of_customer', page(OF_CUSTOMER), MANDATE)
export const listStandingOfAgent = many('mandates.list_standing_of_agent', page(OF_AGENT), MANDATE)

/**
 * Those of purchases in the same order: the page is read from what was written once. `further` is a condition on the
 * charges, which a page of one agent has to look at one by one.
 */
const pageOfPurchases = <const Condition extends string, const Further extends string>(
  condition: Condition,
  further: Further,
) =>
  `select ${PURCHASE_COLUMNS} from (
     select charges.*, approvals.mandate_id as place from approvals ${JOIN_PURCHASE}
     where approvals.merchant_id = $merchantId and approvals.mandate_id < $before ${condition} ${further}
     order by approvals.mandate_id desc limit $limit) charges
   ${JOIN_CUSTOMER} order by charges.place desc` as const
const PURCHASES_OF_CUSTOMER = 'and approvals.customer_id = $customerId'

export const listPurchases = many('mandates.list_of_purchases', pageOfPurchases('', ''), MANDATE)
export const listPurchasesOfCustomer = many(
  'mandates.list_of_purchases_of_customer',
  pageOfPurchases(PURCHASES_OF_CUSTOMER, ''),
  MANDATE,
)
export const listPurchasesOfAgent = many(
  'mandates.list_of_purchases_of_agent',
  pageOfPurchases(PURCHASES_OF_CUSTOMER, 'and charges.asking_agent_id = $agentId'),
  MANDATE,
)

/** The standing ones that can be charged, or go on when their owner wants it, of one customer. */
export const listLiveOfCustomer = many(
  'mandates.list_live_of_customer',
  page(`${OF_CUSTOMER} and status in ('active', 'paused') and valid_until > $at`),
  MANDATE,
)
