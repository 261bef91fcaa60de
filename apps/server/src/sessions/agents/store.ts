import { text } from '../../db/row.ts'
import { many } from '../../db/statement.ts'
import { inBoth } from '../fragments.ts'

/** Sessions that are open, of agents that were revoked. */
export const listOfRevoked = inBoth(({ name, feature, table, key }) => {
  const agent = name === 'charge' ? 'asking_agent_id' : 'agent_id'
  return many(
    `${feature}.list_of_revoked`,
    `select ${table}.${key} as id from ${table}
   join lateral (
     select status from agents where merchant_id = $merchantId and id = ${table}.${agent} offset 0) agents on true
   where ${table}.merchant_id = $merchantId and ${table}.${agent} is not null and ${table}.closed_at is null
     and ${table}.launch_hash is not null
     and agents.status = 'revoked'
   order by ${table}.${key} limit $limit`,
    { id: text },
  )
})
