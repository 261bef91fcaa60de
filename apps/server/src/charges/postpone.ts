import { single } from '../db/command.ts'
import { noteLongWait, retryTime } from '../jobs/work.ts'
import { unbounded } from '../platform/bounds.ts'
import type { ChargeDeps } from './deps.ts'
import { type ChargeWork, chargeWork } from './store.ts'

export const RECONCILE_JOB = 'charges.reconcile'

/** Gives the open call back, to be made again after a growing pause. Unknown is never failed. */
export async function postpone(deps: ChargeDeps, work: ChargeWork): Promise<void> {
  noteLongWait(deps.log, RECONCILE_JOB, work)
  const silent = 'When to ask again is not a change that anyone sees.'
  await unbounded(() =>
    single(deps, { name: 'charges.postpone', silent }, ({ on, at }) =>
      chargeWork.postpone(on, work, retryTime(at, work.attempts)),
    ),
  )
}
