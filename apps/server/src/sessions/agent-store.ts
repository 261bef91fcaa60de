import { SESSION_KINDS } from '@mintmark/contract'
import { oneOf, text, time } from '../db/row.ts'
import { many } from '../db/statement.ts'

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

const PLACE = { id: text, kind: oneOf(SESSION_KINDS), createdAt: time }

/** Newest first, those before a place. */
export const listOfAgent = many(
  'sessions.list_of_agent',
  `select id, kind, created_at from sessions
   where merchant_id = $merchantId and agent_id = $agentId and (created_at, id) < ($beforeAt::timestamptz, $beforeId::text)
   order by created_at desc, id desc limit $limit`,
  PLACE,
)

/** The same of those that are open, and were made since a time. */
export const listOpenOfAgent = many(
  'sessions.list_open_of_agent',
  `select id, kind, created_at from sessions
   where merchant_id = $merchantId and agent_id = $agentId and created_at > $since::timestamptz and closed_at is null
     and expires_at > $at
   order by created_at desc, id desc limit $limit`,
  PLACE,
)
