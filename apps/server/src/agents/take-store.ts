import { bigint, int, type RowOf, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { SPENT_NOW, THIS_MONTH, THIS_MONTH_MINOR, TODAY, TODAY_MINOR } from './fragments.ts'

/**
 * Takes a charge of an agent's limits, if they allow it. The UPDATE locks the row, so the charges of one agent follow each other, whatever
 * their mandates, and no limit is passed by several together. None: `reachedBy` names the limit.
 */
export const take = one(
  'agents.take',
  `update agent_spending set open_count = open_count + 1,
     day = greatest(day, ${TODAY}), day_minor = ${TODAY_MINOR} + $amountMinor,
     month = greatest(month, ${THIS_MONTH}), month_minor = ${THIS_MONTH_MINOR} + $amountMinor
   where merchant_id = $merchantId and agent_id = $agentId
     and ($openLimit::integer is null or open_count < $openLimit)
     and ($dayLimit::bigint is null or ${TODAY_MINOR} + $amountMinor::bigint <= $dayLimit)
     and ($monthLimit::bigint is null or ${THIS_MONTH_MINOR} + $amountMinor::bigint <= $monthLimit)
   returning agent_id`,
  { agentId: text },
)

const SPENT = { openCount: int, todayMinor: bigint, thisMonthMinor: bigint }
/** What an agent has taken by now. */
export type Spent = RowOf<typeof SPENT>

export const findSpent = one(
  'agents.find_spent',
  `select ${SPENT_NOW} from agent_spending where merchant_id = $merchantId and agent_id = $agentId`,
  SPENT,
)
