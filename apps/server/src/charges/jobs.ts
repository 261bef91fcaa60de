import type { Job, JobResult } from '../jobs/loop.ts'
import { workOff } from '../jobs/work.ts'
import type { ChargeDeps } from './deps.ts'
import { driveHeld } from './finish.ts'
import { RECONCILE_JOB } from './postpone.ts'
import type { ChargeService } from './service.ts'
import { chargeWork } from './store.ts'

/** Takes open work that no process holds to its end. */
export function reconcile(deps: ChargeDeps, limit: number): Promise<JobResult> {
  return workOff(deps, chargeWork, {
    name: RECONCILE_JOB,
    limit,
    async handle(work) {
      await driveHeld(deps, work)
      return true
    },
  })
}

export function chargeJobs(charges: ChargeService): Job[] {
  return [{ name: RECONCILE_JOB, run: () => charges.reconcile(20) }]
}
