import type { Job, JobResult } from '../jobs/loop.ts'
import { workOff } from '../jobs/work.ts'
import type { ChargeDeps } from './deps.ts'
import { driveHeld } from './finish.ts'
import type { ChargeService } from './service.ts'
import { chargeWork } from './store.ts'

/** Takes open work that no process holds to its end. */
export function reconcile(deps: ChargeDeps, limit: number): Promise<JobResult> {
  return workOff(deps, chargeWork, {
    name: 'charges.reconcile',
    limit,
    async handle(work) {
      await driveHeld(deps, work)
      return true
    },
  })
}

export function chargeJobs(charges: ChargeService): Job[] {
  return [{ name: 'charges.reconcile', run: () => charges.reconcile(20) }]
}
