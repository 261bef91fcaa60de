import { workBeside } from '../jobs/handle.ts'
import type { Job } from '../jobs/loop.ts'
import type { ChargeDeps } from './deps.ts'
import { driveHeld } from './finish.ts'
import { chargeWork, RECONCILE_JOB } from './store.ts'

/** Charges of one process at a time. Many of them wait for the network. */
const MAX_AT_ONCE = 50

/** Takes open work that no process holds to its end. */
export function reconciling(deps: ChargeDeps): Job {
  return workBeside(deps, chargeWork, {
    name: RECONCILE_JOB,
    limit: MAX_AT_ONCE,
    async handle(work) {
      await driveHeld(deps, work)
      return true
    },
  })
}
