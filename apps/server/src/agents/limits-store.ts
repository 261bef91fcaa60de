import { KEEP_EVIDENCE, NOT_APPROVED } from '../approvals/fragments.ts'
import { text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { lockSigning, USE_PASSKEY } from '../passkeys/fragments.ts'

// However many changes of the same limits are asked for, one is made: the limits are what was read, or nothing happens.

/** CTE `awaiting`: an active agent of this owner whose limits are those that were read. */
const AS_READ = `awaiting as materialized (
     select id, limits from agents
     where merchant_id = $merchantId and id = $agentId and customer_id = $customerId and status = 'active' and limits_version = $version
     for no key update
   )` as const

/** Behind a CTE `agreed` with a row of what is changed: the history, and what holds from now on. */
const CHANGE = `changed as (
     insert into agent_limit_changes (merchant_id, id, agent_id, version, was, limits, changed_at)
     select $merchantId, $changeId, $agentId, $version, agreed.limits, $limits::jsonb, $at from agreed
   )
   update agents set limits = $limits::jsonb, seal = $seal::bytea, limits_version = limits_version + 1, version = version + 1, updated_at = $at
   where merchant_id = $merchantId and id = (select id from agreed)
   returning id` as const

/** Limits that allow no more than those before. None: others hold by now, or the agent has ended. */
export const narrowLimits = one(
  'agents.narrow_limits',
  `with ${AS_READ}, agreed as materialized (select id, limits from awaiting), ${CHANGE}`,
  { id: text },
)

/** The same of limits that the owner has signed. Locks: agent, passkey. None also: the passkey was used or replaced meanwhile. */
export const approveLimits = one(
  'agents.approve_limits',
  `with ${AS_READ}, ${lockSigning('exists (select 1 from awaiting)')}, agreed as materialized (
     select awaiting.id, awaiting.limits from awaiting, signing where ${NOT_APPROVED}
   ), ${USE_PASSKEY}, ${KEEP_EVIDENCE}, ${CHANGE}`,
  { id: text },
)
