import { LIMIT_KINDS } from '@mintmark/contract/agents'
import { bigint, int, nullable, oneOf } from '../db/row.ts'

// Parts of statements that must be one with something else.

/**
 * CTEs `known` and `added`: the owner of an agent, as the customer that a session is made for. The lock keeps the agent
 * from being revoked meanwhile, so that whoever revokes it finds the session. No row: it was revoked.
 */
export const OWNER_OF_AGENT = `known as materialized (
     select customer_id as id from agents
     where merchant_id = $merchantId and id = $agentId and customer_id = $ownerId and status = 'active'
     for share
   ), added as (
     select id from known where false
   )` as const

const TODAY = "($at::timestamptz at time zone 'UTC')::date"
const THIS_MONTH = `date_trunc('month', $at::timestamptz at time zone 'UTC')::date` as const

const OF_TODAY = `case when day >= ${TODAY} then day_minor else 0 end` as const
const OF_THIS_MONTH = `case when month >= ${THIS_MONTH} then month_minor else 0 end` as const

/** Columns: what of a row of `agent_spending` counts now. */
export const SPENT_NOW = `open_count, ${OF_TODAY} as today_minor, ${OF_THIS_MONTH} as this_month_minor` as const

/**
 * CTE `counted`: what of `agent_spending` counts now. A node whose clock is behind adds to the day that another one has
 * begun.
 */
const countSpending = <const From extends string>(from: From) =>
  `counted as materialized (
     select ${SPENT_NOW}
     from ${from}
   )` as const
const SPENDING = '(select * from agent_spending where merchant_id = $merchantId and agent_id = $agentId) spending'
/** The same of an agent, whatever else the statement does. */
export const COUNT_SPENDING = countSpending(SPENDING)

/** Behind a CTE `alike`, which has a charge that this one repeats. */
const judgeSpending = <const From extends string>(from: From) =>
  `${countSpending(from)}, limited as materialized (
     select counted.*, case
       when $agentLimit::text is not null then $agentLimit::text
       when open_count >= $openLimit::integer then 'open'
       when today_minor + $amountMinor::bigint > $dayLimit::bigint then 'day'
       when this_month_minor + $amountMinor::bigint > $monthLimit::bigint then 'month'
       when $asksFirst::boolean then 'ask_above'
       when $asksRepeats::boolean and exists (select 1 from alike) then 'ask_repeats'
     end as reached
     from counted
   )` as const

const SELECT_SPENDING =
  'select open_count from agent_spending where merchant_id = $merchantId and agent_id = $agentId' as const
/** Whatever is counted of one agent behind this lock follows what was counted before. */
export const LOCK_SPENDING = `${SELECT_SPENDING} for no key update` as const

/** CTE `limited`: what an agent has taken of its owner's limits, and which one a charge would pass. */
export const JUDGE_LIMITS = judgeSpending(SPENDING)

/**
 * A case of the refusal of a charge, from `limited`, unless its owner has allowed this one. No row there: the agent is
 * none, and charges nothing.
 */
export const LIMIT_REACHED = `when not exists (select 1 from limited where reached is null or $isAllowed::boolean) then 'AGENT_LIMIT_EXCEEDED'`

const takeOfLimits = <const If extends string>(condition: If) =>
  `spent as (
     update agent_spending set open_count = open_count + 1, day = greatest(day, ${TODAY}), day_minor = ${OF_TODAY} + $amountMinor::bigint,
       month = greatest(month, ${THIS_MONTH}), month_minor = ${OF_THIS_MONTH} + $amountMinor::bigint
     where merchant_id = $merchantId and agent_id = $agentId and ${condition}
     returning agent_id
   )` as const

/**
 * CTE `spent`: takes a charge of its agent's limits, if the mandate is `locked` and the charge keeps them, or its owner
 * has allowed it. The row is locked behind the mandate, here as everywhere, so that the charges of one agent follow
 * each other, whichever mandate they are against.
 */
export const TAKE_OF_LIMITS = takeOfLimits(`exists (select 1 from locked) and ($isAllowed::boolean or
       (($openLimit::integer is null or open_count < $openLimit)
       and ($dayLimit::bigint is null or ${OF_TODAY} + $amountMinor::bigint <= $dayLimit)
       and ($monthLimit::bigint is null or ${OF_THIS_MONTH} + $amountMinor::bigint <= $monthLimit)))`)
/** The same, whatever the limits are, if a CTE `allowed` has a row. */
export const TAKE_BEYOND_LIMITS = takeOfLimits('exists (select 1 from allowed)')
/** CTE `spending`: locks what an agent has taken of its limits, behind the mandate. */
export const LOCK_LIMITS = `spending as materialized (
     ${SELECT_SPENDING} and exists (select 1 from locked) for no key update
   )` as const

/** What is told of the limits, from `limited`. */
export const LIMITED = {
  reached: nullable(oneOf(LIMIT_KINDS)),
  openCount: nullable(int),
  todayMinor: nullable(bigint),
  thisMonthMinor: nullable(bigint),
}
export const LIMITED_COLUMNS =
  `(select reached from limited) as reached, (select open_count from limited) as open_count,
     (select today_minor from limited) as today_minor, (select this_month_minor from limited) as this_month_minor` as const

const OF_AGENT =
  'from changed where agent_spending.merchant_id = $merchantId and agent_spending.agent_id = changed.agent_id' as const

/** CTE `spending_closed`: a charge of an agent has ended and was paid, if `changed` has a row of one. */
export const CLOSE_IN_LIMITS = `spending_closed as (
     update agent_spending set open_count = agent_spending.open_count - 1 ${OF_AGENT}
   )` as const

/**
 * CTE `spending_given_back`: it came to nothing. Its amount goes back to the day and month that it was taken from,
 * unless they are over.
 */
export const GIVE_BACK_TO_LIMITS = `spending_given_back as (
     update agent_spending set open_count = agent_spending.open_count - 1,
       day_minor = agent_spending.day_minor
         - case when agent_spending.day = (changed.created_at at time zone 'UTC')::date then changed.amount_minor else 0 end,
       month_minor = agent_spending.month_minor - case
         when agent_spending.month = date_trunc('month', changed.created_at at time zone 'UTC')::date then changed.amount_minor
         else 0 end
     ${OF_AGENT}
   )` as const

/**
 * An UPDATE: what a charge counts for has changed by `$changeMinor`. Its day and month follow, unless they are over.
 */
export const FOLLOW_IN_LIMITS = `update agent_spending set
     day_minor = day_minor + case when day = ($createdAt::timestamptz at time zone 'UTC')::date then $changeMinor::bigint else 0 end,
     month_minor = month_minor
       + case when month = date_trunc('month', $createdAt::timestamptz at time zone 'UTC')::date then $changeMinor::bigint else 0 end
   where merchant_id = $merchantId and agent_id = $agentId` as const
