import type { Job } from '../../jobs/loop.ts'
import type { CartService } from './service.ts'

const HOUR_MILLIS = 60 * 60 * 1000
const PAGE = 500

/** Walks over all merchants, a page a run, and then rests. A merchant that has more than a page is first again. */
function deleteAbandonedJob(carts: CartService): Job {
  let after = ''
  async function run() {
    const step = await carts.deleteAbandoned(after, PAGE)
    if (step === null) after = ''
    else if (step.deleted < PAGE) after = step.merchantId
    return { taken: step === null ? 0 : 1, nextDueAt: null }
  }
  return { name: 'carts.delete_abandoned', restMillis: HOUR_MILLIS, run }
}

export function cartJobs(carts: CartService): Job[] {
  return [{ name: 'carts.abandon', restMillis: 60_000, run: () => carts.abandonDue(100) }, deleteAbandonedJob(carts)]
}
