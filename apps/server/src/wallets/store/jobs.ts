import type { Job } from '../../jobs/loop.ts'
import { FEED_JOB } from './feed.ts'
import type { StoreService } from './service.ts'

/** How late an account that was just made has the catalog of the sandbox's shop, at most. */
const REST_MILLIS = 15_000
/** A shop that starts answers within so many tries; one that is switched off is not worth a question a second. */
const QUICK_TRIES = 30

export function storeJobs(stores: Pick<StoreService, 'feedDue'>): Job[] {
  let silent = 0
  async function run() {
    const result = await stores.feedDue()
    silent = result.nextDueAt === null ? 0 : silent + 1
    return silent > QUICK_TRIES ? { ...result, nextDueAt: null } : result
  }
  return [{ name: FEED_JOB, restMillis: REST_MILLIS, run }]
}
