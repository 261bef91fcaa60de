import { type CommandDeps, single } from '../db/command.ts'
import { text } from '../db/row.ts'
import { many } from '../db/statement.ts'
import { addSeconds } from '../platform/clock.ts'
import type { Job } from './loop.ts'

/** How long a caller's key is remembered at least; a caller who asks again later than that begins anew. */
export const KEYS_KEPT_SECONDS = 24 * 60 * 60
/** One round deletes so many. */
const PAGE = 500

/** Merchants with keys of before `$before`. Operator's statement. */
const listMerchantsWithOld = many(
  'idempotency.list_merchants_with_old',
  `select distinct merchant_id from (
     select merchant_id from idempotency_keys where created_at < $before order by created_at limit $limit) old`,
  { merchantId: text },
)

const deleteOld = many(
  'idempotency.delete_old',
  // Materialized: a plan may run a subquery again, and would then delete more than the limit. By arrays: a join may read all
  // rows of the merchant. A pair that the arrays make up besides is old too, or stays.
  `with old as materialized (
     select operation, key from idempotency_keys
     where merchant_id = $merchantId and created_at < $before order by created_at limit $limit for update skip locked
   )
   delete from idempotency_keys
   where merchant_id = $merchantId and operation = any (array(select operation from old))
     and key = any (array(select key from old)) and created_at < $before
   returning key`,
  { key: text },
)

type OldKeyDeps = Pick<CommandDeps, 'pool' | 'clock'>

/** Deletes callers' keys that are past their time, a merchant at a time. Returns how many. */
export async function deleteOldKeys(deps: OldKeyDeps, limit = PAGE): Promise<number> {
  const before = addSeconds(deps.clock.now(), -KEYS_KEPT_SECONDS)
  const declaration = { name: 'idempotency.delete_old', silent: 'What a key did has its own events.' }
  let deleted = 0
  for (const { merchantId } of await listMerchantsWithOld(deps.pool, { before, limit })) {
    const gone = await single(deps, declaration, ({ on }) => deleteOld(on, { merchantId, before, limit }))
    deleted += gone.length
  }
  return deleted
}

export function oldKeyJob(deps: OldKeyDeps): Job {
  const run = async () => ({ taken: await deleteOldKeys(deps), nextDueAt: null })
  return { name: 'idempotency.delete_old', restMillis: 60_000, run }
}
