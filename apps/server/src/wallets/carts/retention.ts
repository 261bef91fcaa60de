import { single } from '../../db/command.ts'
import { addSeconds } from '../../platform/clock.ts'
import type { CartDeps } from './deps.ts'
import * as store from './retention-store.ts'

const DAY_SECONDS = 24 * 60 * 60

/** One step of a walk over the merchants: deletes, of the next one, carts that were abandoned long ago. Null: nothing is left. */
export async function deleteAbandoned(
  deps: CartDeps,
  after: string,
  limit: number,
): Promise<{ deleted: number; next: string } | null> {
  const before = addSeconds(deps.clock.now(), -deps.retentionDays * DAY_SECONDS)
  const found = await store.findMerchantWithOld(deps.pool, { after, before })
  if (found === undefined) return null
  const { merchantId } = found
  const deleted = await single(deps, { name: 'carts.delete_abandoned', silent: 'past' }, ({ on }) =>
    store.deleteAbandoned(on, { merchantId, before, limit }),
  )
  // A full page: this merchant may have more.
  return { deleted, next: deleted < limit ? merchantId : after }
}
