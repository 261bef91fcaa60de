import { command } from '../db/command.ts'
import { noteLongWait, retryTime } from '../jobs/handle.ts'
import { wake } from '../jobs/wake.ts'
import { unbounded } from '../platform/bounds.ts'
import type { ChargeDeps } from './deps.ts'
import { chargeWork, RECONCILE_JOB, type ReportedWork, releaseEarly } from './store.ts'

/** Work in hand. `isEarly`: asked for before it was due again, by a report that was repeated. */
export type HeldWork = ReportedWork & { isEarly?: boolean }

/**
 * Gives the open call back, to be made again after a growing pause. Unknown is never failed. What was asked early
 * counts for nothing: a caller in a hurry neither puts off the next try nor makes the silence look longer than it is.
 */
export async function postpone(deps: ChargeDeps, work: HeldWork): Promise<void> {
  const isEarly = work.isEarly === true
  if (!isEarly) noteLongWait(deps.log, RECONCILE_JOB, work)
  const why = 'When to ask again is not a change that anyone sees.'
  await unbounded(() =>
    command(deps, { name: 'charges.postpone', why, together: 'statement' }, async ({ on, at }) => {
      if (!isEarly) return chargeWork.postpone(on, work, retryTime(at, work.attempts))
      // It may have fallen due in hand: the loop has looked meanwhile, and knows of no time.
      wake(on, RECONCILE_JOB)
      return releaseEarly(on, work)
    }),
  )
}
