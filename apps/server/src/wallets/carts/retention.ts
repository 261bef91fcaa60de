import { single } from '../../db/command.ts'
import { addSeconds } from '../../platform/clock.ts'
import { NO_EVENT } from '../no-event.ts'
import type { CartDeps } from './deps.ts'
import * as store from './retention-store.ts'

const DAY_SECONDS = 24 * 60 * 60

/** Deletes, of the next merchant, carts that were abandoned long ago. Returns how many; null: there is nothing left. */
export async function deleteAbandoned(
  deps: CartDeps,
  after: string,
  limit: number,
): Promise<{ merchantId: string; deleted: number } | null> {
  const before = addSeconds(deps.clock.now(), -deps.retentionDays * DAY_SECONDS)
  const found = await store.findMerchantWithOld(deps.pool, { after, before })
  if (found === undefined) return null
  const { merchantId } = found
  const deleted = await single(deps, { name: 'carts.delete_abandoned', silent: NO_EVENT }, ({ on }) =>
    store.deleteAbandoned(on, { merchantId, before, limit }),
  )
  return { merchantId, deleted }
}
