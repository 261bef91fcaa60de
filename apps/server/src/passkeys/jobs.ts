import { single } from '../db/command.ts'
import type { Job } from '../jobs/loop.ts'
import type { PasskeyDeps } from './ceremony.ts'
import { deleteExpired, listMerchantsWithExpired } from './challenge-store.ts'
import type { PasskeyService } from './service.ts'

/** Deletes challenges that have expired, a merchant at a time. Returns how many. */
export async function deleteExpiredChallenges(deps: PasskeyDeps, limit: number): Promise<number> {
  const merchants = await listMerchantsWithExpired(deps.pool, { at: deps.clock.now(), limit })
  let deleted = 0
  for (const { merchantId } of merchants) {
    const gone = await single(deps, { name: 'passkeys.delete_challenges', silent: 'past' }, ({ on, at }) =>
      deleteExpired(on, { merchantId, at, limit }),
    )
    deleted += gone.length
  }
  return deleted
}

export function passkeyJobs(passkeys: PasskeyService): Job[] {
  const run = async () => ({ taken: await passkeys.deleteExpiredChallenges(500), nextDueAt: null })
  return [{ name: 'passkeys.delete_challenges', restMillis: 60_000, run }]
}
