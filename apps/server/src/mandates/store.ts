import { MANDATE_STATUSES, MERCHANT_SCOPES, PAYMENT_FAILURE_CODES, RECURRING_FREQUENCIES } from '@mintmark/contract'
import { bigint, bool, bytes, columns, int, json, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { INSERT_EVENT } from '../events/fragments.ts'
import { closeWork, dueWorkAt, IS_HELD, openWork, putOffWork } from '../jobs/fragments.ts'
import { dueWork } from '../jobs/work.ts'
import { originList } from '../platform/states.ts'
import {
  JOIN_ENDED_CHARGE,
  JOIN_LAST_CHARGE,
  JOIN_LISTED_CHARGES,
  LAST_CHARGE,
  LAST_CHARGE_COLUMNS,
  type ListedCharge,
  OPEN_CHARGES,
} from './charge-fragments.ts'
import { IS_CARD_DELETED } from './fragments.ts'
import { MANDATE_TRANSITIONS } from './states.ts'

/** The mandate of a checkout that came to nothing, and the work to tell the network, which does not know. */
export const updateCancelled = one(
  'mandates.update_cancelled',
  `with cancelled as (
     update mandates set status = 'cancelled', ended_at = $at
     where merchant_id = $merchantId and id = $id and status in (${originList(MANDATE_TRANSITIONS, 'cancelled')})
       and per_checkout
     returning id
   )
   ${openWork('mandate', 'cancelled', '$at')}
   returning id`,
  { id: text },
)

/** The mandate of a checkout whose time passed, and the work to end its credential at the network, which may have been spent. */
export const updateExpired = one(
  'mandates.update_expired',
  `with expired as (
     update mandates set status = 'expired', ended_at = $at
     where merchant_id = $merchantId and id = $id and status in (${originList(MANDATE_TRANSITIONS, 'expired')})
       and per_checkout
     returning id
   )
   ${openWork('mandate', 'expired', '$at')}
   returning id`,
  { id: text },
)

/** A mandate that ends wakes this job, so that what the network may still mint is voided within milliseconds. */
export const END_JOB = 'mandates.end'

/**
 * Mandates that are approved and to be registered, that ended and the network has still to be told, and standing ones, to be
 * ended when their time is over.
 */
export const mandateWork = dueWork('mandates', 'mandate', {
  job: END_JOB,
  shape: {
    status: oneOf(MANDATE_STATUSES),
    isCardDeleted: bool,
    dueAt: time,
    endedChargeId: nullable(text),
    endedBy: nullable(oneOf(PAYMENT_FAILURE_CODES)),
  },
  list: `mandates.status, coalesce(${IS_CARD_DELETED}, false) as is_card_deleted, work.due_at, ended.id as ended_charge_id,
     ended.failure_code as ended_by`,
  joins: `join lateral (
     select status, charge_id, card_id, ended_at from mandates where merchant_id = $merchantId and id = work.id offset 0) mandates on true
   left join lateral (
     select status, accepted_at from cards where merchant_id = $merchantId and id = mandates.card_id offset 0) cards on true
   ${JOIN_ENDED_CHARGE}`,
})

/** What a mandate has minted that has not ended; all null: nothing. */
export const findOpenCharges = one('mandates.find_open_charges', OPEN_CHARGES, {
  ids: nullable(json<string[]>()),
  lastLapsesAt: nullable(time),
  isMoving: nullable(bool),
})

/** The holder of the work of a cancelled mandate looks at it again later; now, if one of its charges has ended since the work was claimed. */
export const updateWaiting = execute(
  'mandates.update_waiting',
  `${putOffWork('mandate', '$id', 'case when due_at = $dueAt then $until else due_at end')}
     and ${IS_HELD}`,
)

/** A charge of a mandate has ended. Where the mandate was cancelled it may have been the last one that the network was left to pay. */
export const updateLookedAt = execute(
  'mandates.update_looked_at',
  `${dueWorkAt('mandate', '$id', '$at')} and exists (
     select 1 from mandates where merchant_id = $merchantId and id = $id and status = 'cancelled')`,
)

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

/** The time of a standing mandate is over, and nothing is left to do. None: it is not as it was read, or has time left. */
export const updateExpiredByTime = one(
  'mandates.update_expired_by_time',
  `with changed as (
     update mandates set status = 'expired', ended_at = $at, ${MOVED}
     where ${ROW_AS_READ} and valid_until <= $at and not per_checkout
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
  perCheckout: bool,
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
const MANDATE_COLUMNS = `${columns(OWN, 'mandates')}, mandates.approval_hash is not null as is_approved,
     setup.expires_at as approve_by, coalesce(customers.external_user_id, '') as external_user_id,
     greatest(mandates.updated_at, mandates.created_at, mandates.activated_at, mandates.ended_at) as changed_at,
     ${LAST_CHARGE_COLUMNS}`
/** Without its customer a mandate has no user, and is still its merchant's to stop. */
const JOINS = `left join lateral (
     select external_user_id from customers where merchant_id = $merchantId and id = mandates.customer_id offset 0) customers on true
   left join lateral (
     select expires_at from sessions where merchant_id = $merchantId and id = mandates.session_id
       and mandates.status = 'pending' and mandates.approval_hash is null offset 0) setup on true
   ${JOIN_LAST_CHARGE}`

/** A mandate with its newest charges, of one moment: the numbers and the charges agree. */
export const findMandate = one(
  'mandates.find',
  `select ${MANDATE_COLUMNS}, listed_charges from mandates ${JOINS} ${JOIN_LISTED_CHARGES}
   where mandates.merchant_id = $merchantId and mandates.id = $id`,
  { ...MANDATE, listedCharges: json<ListedCharge[]>() },
)

/** Says only that there is such a mandate. Crosses merchants by its nature: it is not the caller's. */
export const findAnywhere = one('mandates.find_anywhere', 'select id from mandates where id = $id', { id: text })

/** Newest first, below the id of the last one of the page before. */
const page = <const Condition extends string>(condition: Condition) =>
  `select ${MANDATE_COLUMNS} from (
     select * from mandates where merchant_id = $merchantId and id < $before ${condition} order by id desc limit $limit) mandates
   ${JOINS} order by mandates.id desc` as const
const OF_CUSTOMER = 'and customer_id = $customerId'
// Statements of their own: with "or no agent is asked for" the planner expects next to nothing, and sorts all that the customer has.
const OF_AGENT = `${OF_CUSTOMER} and agent_id = $agentId` as const
const STANDING = 'and not per_checkout'

export const listMandates = many('mandates.list', page(''), MANDATE)
export const listStanding = many('mandates.list_standing', page(STANDING), MANDATE)
export const listOfCustomer = many('mandates.list_of_customer', page(OF_CUSTOMER), MANDATE)
export const listStandingOfCustomer = many(
  'mandates.list_standing_of_customer',
  page(`${OF_CUSTOMER} ${STANDING}`),
  MANDATE,
)
const OF_AGENTS = {
  ...{ agentId: text, payeeName: text, approvedMinor: bigint, currency: text },
  ...{ frequency: oneOf(RECURRING_FREQUENCIES), endedAt: nullable(time) },
}
export type MandateOfAgent = RowOf<typeof OF_AGENTS>

/** Standing mandates that a customer has given to agents, newest first: those that are open, and those that were cancelled. */
export const listOfAgents = many(
  'mandates.list_of_agents',
  `select ${columns(OF_AGENTS)} from mandates
   where merchant_id = $merchantId and customer_id = $customerId ${STANDING} and agent_id is not null
     and (status in ('active', 'paused') and valid_until > $at or status = 'cancelled')
   order by id desc limit $limit`,
  OF_AGENTS,
)

/** Standing mandates that are open, of agents that were revoked after `$revokedAfter`; none of `$resting`. */
export const listOfRevokedAgents = many(
  'mandates.list_of_revoked_agents',
  `select mandates.id from agents
   join mandates on mandates.merchant_id = $merchantId and mandates.agent_id = agents.id
   where agents.merchant_id = $merchantId and agents.status = 'revoked' and agents.revoked_at > $revokedAfter
     and mandates.status in ('active', 'paused') and mandates.valid_until > $at and mandates.id <> all ($resting)
   order by mandates.id limit $limit`,
  { id: text },
)

/** Mandates by their ids. */
export const listByIds = many(
  'mandates.list_by_ids',
  `select ${MANDATE_COLUMNS} from mandates ${JOINS}
   where mandates.merchant_id = $merchantId and mandates.id = any ($ids::text[])`,
  MANDATE,
)

export const listOfAgent = many('mandates.list_of_agent', page(OF_AGENT), MANDATE)
export const listStandingOfAgent = many('mandates.list_standing_of_agent', page(`${OF_AGENT} ${STANDING}`), MANDATE)
