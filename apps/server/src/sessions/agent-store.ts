import { text } from '../db/row.ts'
import { many, type Queryable } from '../db/statement.ts'
import { JOIN_SUBJECT, SESSION, SESSION_COLUMNS, type Session } from './store.ts'

/** Sessions that are open, of agents that were revoked; none of `$resting`. */
export const listOfRevoked = many(
  'sessions.list_of_revoked',
  `select sessions.id from sessions
   join lateral (
     select status from agents where merchant_id = $merchantId and id = sessions.agent_id offset 0) agents on true
   where sessions.merchant_id = $merchantId and sessions.agent_id is not null and sessions.closed_at is null
     and agents.status = 'revoked' and sessions.id <> all ($resting)
   order by sessions.id limit $limit`,
  { id: text },
)

/** Sessions of an agent with their subjects. The page is cut before anything is joined to it. */
const ofAgent = <const Condition extends string>(condition: Condition) =>
  `select ${SESSION_COLUMNS}, (select status from merchants where id = $merchantId) as merchant_status
   from (
     select * from sessions where merchant_id = $merchantId and agent_id = $agentId and ${condition as Condition}
     order by created_at desc, id desc limit $limit) s ${JOIN_SUBJECT}
   order by s.created_at desc, s.id desc` as const

interface PageValues {
  merchantId: string
  agentId: string
  limit: number
}

/** Newest first, those before a place. */
export const listOfAgent: (
  on: Queryable,
  page: PageValues & { beforeAt: Date; beforeId: string },
) => Promise<Session[]> = many(
  'sessions.list_of_agent',
  ofAgent('(created_at, id) < ($beforeAt::timestamptz, $beforeId::text)'),
  SESSION,
)

/** The same of those that are open, and were made since a time. */
export const listOpenOfAgent: (on: Queryable, page: PageValues & { at: Date; since: Date }) => Promise<Session[]> =
  many(
    'sessions.list_open_of_agent',
    ofAgent('created_at > $since::timestamptz and closed_at is null and expires_at > $at'),
    SESSION,
  )
