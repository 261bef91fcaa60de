import { workBeside } from '../../jobs/handle.ts'
import type { Job } from '../../jobs/loop.ts'
import type { PurchaseDeps } from './deps.ts'
import { drive } from './drive.ts'
import { BUY_JOB, purchaseWork } from './store.ts'

/** Purchases of one process at a time. Most of them wait for a shop. */
const MAX_AT_ONCE = 50

/** Buys what is approved. */
export function buying(deps: PurchaseDeps): Job {
  return workBeside(deps, purchaseWork, {
    name: BUY_JOB,
    limit: MAX_AT_ONCE,
    async handle(work, mayGoOn) {
      await drive(deps, work, mayGoOn)
      return true
    },
  })
}
