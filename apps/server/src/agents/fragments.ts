// Parts of statements that must be one with something else.

/**
 * CTEs `known` and `added`: the owner of an agent, as the customer that a session is made for. The lock keeps the agent from being revoked
 * meanwhile, so that whoever revokes it finds the session. No row: it was revoked.
 */
export const OWNER_OF_AGENT = `known as materialized (
     select customer_id as id from agents
     where merchant_id = $merchantId and id = $agentId and customer_id = $ownerId and status = 'active'
     for share
   ), added as (
     select id from known where false
   )` as const

/** SQL: the day and month of `$at`, and what of a row of `agent_spending` counts in them. A node whose clock is behind adds to those that another one has begun. */
export const TODAY = "($at::timestamptz at time zone 'UTC')::date"
export const THIS_MONTH = `date_trunc('month', $at::timestamptz at time zone 'UTC')::date` as const
export const TODAY_MINOR = `case when day >= ${TODAY} then day_minor else 0 end` as const
export const THIS_MONTH_MINOR = `case when month >= ${THIS_MONTH} then month_minor else 0 end` as const

/** Columns: what of a row of `agent_spending` counts now. */
export const SPENT_NOW = `open_count, ${TODAY_MINOR} as today_minor, ${THIS_MONTH_MINOR} as this_month_minor` as const

/** Whatever is counted of one agent behind this lock follows what was counted before. */
export const LOCK_SPENDING =
  'select open_count from agent_spending where merchant_id = $merchantId and agent_id = $agentId for no key update' as const

const OF_AGENT =
  'from changed where agent_spending.merchant_id = $merchantId and agent_spending.agent_id = changed.agent_id' as const

/** CTE `spending_closed`: a charge of an agent has ended and was paid, if `changed` has a row of one. */
export const CLOSE_IN_LIMITS = `spending_closed as (
     update agent_spending set open_count = agent_spending.open_count - 1 ${OF_AGENT}
   )` as const

/** CTE `spending_given_back`: it came to nothing. Its amount goes back to the day and month that it was taken from, unless they are over. */
export const GIVE_BACK_TO_LIMITS = `spending_given_back as (
     update agent_spending set open_count = agent_spending.open_count - 1,
       day_minor = agent_spending.day_minor
         - case when agent_spending.day = (changed.created_at at time zone 'UTC')::date then changed.amount_minor else 0 end,
       month_minor = agent_spending.month_minor - case
         when agent_spending.month = date_trunc('month', changed.created_at at time zone 'UTC')::date then changed.amount_minor
         else 0 end
     ${OF_AGENT}
   )` as const
