import { workBeside } from '../../jobs/handle.ts'
import type { Job } from '../../jobs/loop.ts'
import type { PurchaseDeps } from './deps.ts'
import { drive } from './drive.ts'
import { BUY_JOB, purchaseWork } from './store.ts'

/** Purchases of one process at a time. Most of them wait for a shop. */
const MOST_AT_ONCE = 50

/** Buys what is approved. */
export function purchaseJobs(deps: PurchaseDeps): Job[] {
  let isStopping = false
  const job = workBeside(deps, purchaseWork, {
    name: BUY_JOB,
    limit: MOST_AT_ONCE,
    async handle(work) {
      await drive(deps, work, () => !isStopping)
      return true
    },
  })
  return [
    {
      ...job,
      run() {
        isStopping = false
        return job.run()
      },
      /** Each of the steps that are left may take as long as all of a stop may. */
      stop() {
        isStopping = true
        job.stop?.()
      },
    },
  ]
}
