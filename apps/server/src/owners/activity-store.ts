import { CHARGE_STATUSES, PAYMENT_FAILURE_CODES } from '@mintmark/contract'
import { CHARGE_LIMITS } from '@mintmark/contract/agents'
import { bigint, bool, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { many, one } from '../db/statement.ts'

// What an owner sees of the charges of their agents.

/**
 * What agents of an owner hold: charges of this month that can be used, and of which no report came yet. Only
 * those with open charges are looked at.
 */
export const listHeld = many(
  'owners.list_held',
  `select agents.id as agent_id, held.currency, held.amount_minor from agents
   join agent_spending on agent_spending.merchant_id = $merchantId and agent_spending.agent_id = agents.id and agent_spending.open_count > 0
   join lateral (
     select currency, sum(amount_minor)::bigint as amount_minor from charges
     where merchant_id = $merchantId and agent_id = agents.id and status in ('minting', 'awaiting_result')
       and created_at >= date_trunc('month', $at::timestamptz at time zone 'UTC') at time zone 'UTC'
     group by currency) held on true
   where agents.merchant_id = $merchantId and agents.customer_id = $customerId`,
  { agentId: text, currency: text, amountMinor: bigint },
)

const CHARGE = {
  id: text,
  createdAt: time,
  updatedAt: time,
  agentId: text,
  agentName: text,
  mandateId: nullable(text),
  amountMinor: bigint,
  currency: text,
  payeeName: text,
  payeeUrl: text,
  status: oneOf(CHARGE_STATUSES),
  failure: nullable(oneOf(PAYMENT_FAILURE_CODES)),
  hadNumber: bool,
  lapsesAt: nullable(time),
  reportedAt: nullable(time),
  reference: nullable(text),
  isRepeated: bool,
  /** What refused it, where its owner was asked. */
  limitKind: nullable(oneOf(CHARGE_LIMITS)),
  escalationId: nullable(text),
}
export type ActivityRow = RowOf<typeof CHARGE>

const COLUMNS = `found.id, found.created_at, found.updated_at, agents.id as agent_id, agents.name as agent_name,
     found.standing_mandate_id as mandate_id, found.amount_minor, found.currency, found.payee_name, found.payee_url, found.status,
     found.failure_code as failure, found.lapses_at is not null as had_number, found.lapses_at, found.reported_at, found.reference,
     found.duplicate_of is not null as is_repeated, asked.limit_kind, asked.id as escalation_id`
/** The question that was asked of a charge. A later charge of the same reference is one that was allowed. */
const ASKED = `left join lateral (
     select id, limit_kind from escalations
     where merchant_id = $merchantId and mandate_id = found.standing_mandate_id and reference = found.reference
       and charge_id = found.id offset 0) asked on true`
const OF_OWNER = 'agents.merchant_id = $merchantId and agents.customer_id = $customerId'

/**
 * Newest first, below the last one of the page before. A page of each agent is read in the order of the index, and the
 * page is made of those: what was charged before it costs nothing.
 */
const page = <const Condition extends string>(condition: Condition) =>
  `select ${COLUMNS} from agents
   cross join lateral (
     select * from charges
     where merchant_id = $merchantId and agent_id = agents.id and (created_at, id) < ($beforeAt::timestamptz, $beforeId)
       and created_at >= $from ${condition}
     order by created_at desc, id desc limit $limit) found
   ${ASKED}
   where ${OF_OWNER} and ($agentId::text is null or agents.id = $agentId)
   order by found.created_at desc, found.id desc limit $limit` as const
const AT_SHOP = 'and payee_name = $shop'
const STANDING =
  'and status = any ($statuses::text[]) and ($hadNumber::boolean is null or (lapses_at is not null) = $hadNumber)'

// Statements of their own: with "or no shop is asked for" the index is not asked for the shop.
export const listCharges = many('owners.list_charges', page(''), CHARGE)
export const listChargesAt = many('owners.list_charges_at', page(AT_SHOP), CHARGE)
export const listChargesThat = many('owners.list_charges_that', page(STANDING), CHARGE)
export const listChargesThatAt = many('owners.list_charges_that_at', page(`${AT_SHOP} ${STANDING}`), CHARGE)

/**
 * How far a question looks back that finds its charges by reading them: behind so many of each agent. None: there are
 * fewer.
 */
export const findReach = one(
  'owners.find_reach',
  `select furthest.created_at from agents
   cross join lateral (
     select created_at from charges
     where merchant_id = $merchantId and agent_id = agents.id and (created_at, id) < ($beforeAt::timestamptz, $beforeId)
       and created_at >= $from
     order by created_at desc, id desc offset $most limit 1) furthest
   where ${OF_OWNER} and ($agentId::text is null or agents.id = $agentId)
   order by furthest.created_at desc limit 1`,
  { createdAt: time },
)

/** The same of one permission. */
export const listChargesOfMandate = many(
  'owners.list_charges_of_mandate',
  `select ${COLUMNS} from (
     select * from charges
     where merchant_id = $merchantId and standing_mandate_id = $mandateId and (created_at, id) < ($beforeAt::timestamptz, $beforeId)
     order by created_at desc, id desc limit $limit) found
   join agents on ${OF_OWNER} and agents.id = found.agent_id
   ${ASKED}
   order by found.created_at desc, found.id desc`,
  CHARGE,
)

export const findCharge = one(
  'owners.find_charge',
  `select ${COLUMNS} from charges found
   join agents on ${OF_OWNER} and agents.id = found.agent_id
   ${ASKED}
   where found.merchant_id = $merchantId and found.id = $chargeId`,
  CHARGE,
)

/** What was told of a charge, in its order. */
export const listTold = many(
  'owners.list_told',
  `select type, occurred_at from events where merchant_id = $merchantId and resource_id = $chargeId order by feed_pos limit 20`,
  { type: text, occurredAt: time },
)

/** The shops of an owner's permissions, to choose from. */
export const listShops = many(
  'owners.list_shops',
  `select payee_name from (
     select payee_name from mandates
     where merchant_id = $merchantId and customer_id = $customerId order by id desc limit $limit) newest
   group by payee_name order by payee_name`,
  { payeeName: text },
)

/** Which permissions hang on which cards of an owner. */
export const listOnCards = many(
  'owners.list_on_cards',
  `select id, card_id from mandates
   where merchant_id = $merchantId and customer_id = $customerId and status in ('active', 'paused')
     and card_id is not null order by id desc limit $limit`,
  { id: text, cardId: text },
)
