import { text } from '../db/row.ts'
import { many } from '../db/statement.ts'

/** Sessions that are open, of agents that were revoked. */
export const listOfRevoked = many(
  'sessions.list_of_revoked',
  `select sessions.id from sessions
   join lateral (
     select status from agents where merchant_id = $merchantId and id = sessions.agent_id offset 0) agents on true
   where sessions.merchant_id = $merchantId and sessions.agent_id is not null and sessions.closed_at is null
     and agents.status = 'revoked'
   order by sessions.id limit $limit`,
  { id: text },
)
