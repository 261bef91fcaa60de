import { single } from '../db/command.ts'
import { noteLongWait, retryTime } from '../jobs/handle.ts'
import { wake } from '../jobs/wake.ts'
import type { Claim } from '../jobs/work.ts'
import { unbounded } from '../platform/bounds.ts'
import type { ChargeDeps } from './deps.ts'
import { chargeWork, RECONCILE_JOB, releaseEarly } from './store.ts'

/** `isEarly`: it was asked for before it was due again, by a report that was repeated. */
export interface Early {
  isEarly?: boolean
}

/**
 * Gives the open call back, to be made again after a growing pause. Unknown is never failed. What was asked early counts for nothing:
 * a caller in a hurry neither puts off the next try nor makes the silence look longer than it is.
 */
export async function postpone(deps: ChargeDeps, work: Claim & Early): Promise<void> {
  const isEarly = work.isEarly === true
  if (!isEarly) noteLongWait(deps.log, RECONCILE_JOB, work)
  await unbounded(() =>
    single(deps, { name: 'charges.postpone', silent: 'work' }, async ({ on, at }) => {
      if (!isEarly) return chargeWork.postpone(on, work, retryTime(at, work.attempts))
      // It may have fallen due in hand: the loop has looked meanwhile, and knows of no time.
      wake(on, RECONCILE_JOB)
      return releaseEarly(on, work)
    }),
  )
}
