import { type CommandDeps, KEYS_KEPT_SECONDS, single } from '../db/command.ts'
import { deleteOld, listMerchantsWithOld } from '../db/old-keys-store.ts'
import { addSeconds } from '../platform/clock.ts'
import type { Job } from './loop.ts'

/** One round deletes so many. */
const PAGE = 500

type OldKeyDeps = Pick<CommandDeps, 'pool' | 'clock'>

/** Deletes callers' keys that are past their time, a merchant at a time. Returns how many. */
export async function deleteOldKeys(deps: OldKeyDeps, limit = PAGE): Promise<number> {
  const before = addSeconds(deps.clock.now(), -KEYS_KEPT_SECONDS)
  const declaration = { name: 'idempotency.delete_old', silent: 'past' } as const
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
