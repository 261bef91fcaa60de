import { bytes, nullable, text, time } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'

/** What is written again stays used up, with what its first user has added. */
export const upsertEntry = execute(
  'mcp.upsert_entry',
  `insert into oauth_entries (merchant_id, kind, digest, agent_id, grant_id, content, created_at, expires_at)
   values ($merchantId, $kind, $digest, $agentId, $grantId, $content, $at, $expiresAt)
   on conflict (merchant_id, digest) do update
     set agent_id = excluded.agent_id, grant_id = excluded.grant_id, content = excluded.content, expires_at = excluded.expires_at
   where oauth_entries.consumed_at is null`,
)

export const findEntry = one(
  'mcp.find_entry',
  `select content, agent_id, consumed_at from oauth_entries
   where merchant_id = $merchantId and digest = $digest and expires_at > $at`,
  { content: text, agentId: nullable(text), consumedAt: nullable(time) },
)

/** One of any number of callers uses it up. None: another has, or it is gone. */
export const consumeEntry = one(
  'mcp.consume_entry',
  `update oauth_entries set consumed_at = $at
   where merchant_id = $merchantId and digest = $digest and consumed_at is null
   returning digest`,
  { digest: bytes },
)

/** The first of any number of callers writes what all get, as long as it came after `since`. None: it came before, or the entry is gone. */
export const consumeForRepeats = one(
  'mcp.consume_for_repeats',
  `update oauth_entries
   set content = case when consumed_at is null then $content else content end, consumed_at = coalesce(consumed_at, $at)
   where merchant_id = $merchantId and digest = $digest and (consumed_at is null or consumed_at > $since)
   returning content`,
  { content: text },
)

/** A name that is good once: one of any number of callers is the first. None: another was. */
export const spendOnce = one(
  'mcp.spend_once',
  `insert into oauth_entries (merchant_id, kind, digest, agent_id, content, created_at, consumed_at, expires_at)
   values ($merchantId, $kind, $digest, $agentId, '', $at, $at, $expiresAt)
   on conflict do nothing
   returning digest`,
  { digest: bytes },
)

export const updateExpiry = execute(
  'mcp.update_expiry',
  `update oauth_entries set expires_at = $expiresAt where merchant_id = $merchantId and digest = $digest`,
)

export const deleteEntry = execute(
  'mcp.delete_entry',
  'delete from oauth_entries where merchant_id = $merchantId and digest = $digest',
)

/** All of a kind that was given for a grant. */
export const deleteOfGrant = execute(
  'mcp.delete_of_grant',
  'delete from oauth_entries where merchant_id = $merchantId and grant_id = $grantId and kind = $kind',
)

/** All that agents have, of every kind. */
export const deleteOfAgents = execute(
  'mcp.delete_of_agents',
  'delete from oauth_entries where merchant_id = $merchantId and agent_id = any ($agentIds::text[])',
)

export const deleteExpired = execute(
  'mcp.delete_expired',
  `delete from oauth_entries where merchant_id = $merchantId and digest = any (array(
     select digest from oauth_entries
     where merchant_id = $merchantId and expires_at <= $at order by expires_at limit $limit))`,
)
