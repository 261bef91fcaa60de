import type { Job } from '../../jobs/loop.ts'
import { FEED_JOB } from './feed.ts'
import type { StoreService } from './service.ts'

/** How late an account that was just made has the catalog of the sandbox's shop, at most. */
const REST_MILLIS = 15_000

export function storeJobs(stores: StoreService): Job[] {
  return [{ name: FEED_JOB, restMillis: REST_MILLIS, run: () => stores.feedDue() }]
}
