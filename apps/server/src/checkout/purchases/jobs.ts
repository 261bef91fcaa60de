import type { Job } from '../../jobs/loop.ts'
import { holding } from '../../jobs/work.ts'
import type { PurchaseDeps } from './deps.ts'
import { drive, postpone } from './drive.ts'
import { BUY_JOB, type PurchaseWork, purchaseWork } from './store.ts'

/** Purchases of one process at a time. Most of them wait for a shop. */
const MOST_AT_ONCE = 50

/** Buys what is approved. Each purchase is driven beside the loop: a slow shop keeps no other waiting. */
export function purchaseJobs(deps: PurchaseDeps): Job[] {
  const inHand = new Set<Promise<void>>()
  let isStopping = false
  const start = (work: PurchaseWork) => {
    const driven = driveHeld(deps, work, () => !isStopping).finally(() => inHand.delete(driven))
    inHand.add(driven)
  }
  return [
    {
      name: BUY_JOB,
      async run() {
        isStopping = false
        if (inHand.size >= MOST_AT_ONCE) await Promise.race(inHand)
        const { rows, nextDueAt } = await purchaseWork.claim(deps, MOST_AT_ONCE - inHand.size)
        for (const work of rows) start(work)
        return { taken: rows.length, nextDueAt }
      },
      /** Each of the steps that are left may take as long as all of a stop may. */
      stop() {
        isStopping = true
      },
      async settled() {
        while (inHand.size > 0) await Promise.all(inHand)
      },
    },
  ]
}

/** Never fails: what could not be done is tried again later. */
async function driveHeld(deps: PurchaseDeps, work: PurchaseWork, mayGoOn: () => boolean): Promise<void> {
  try {
    await holding(deps, purchaseWork, work, () => drive(deps, work, mayGoOn))
  } catch (error) {
    deps.log.failure('purchase stays open', error, { merchant_id: work.merchantId, charge_id: work.id })
    await postpone(deps, work).catch(() => false)
  }
}
