import { single } from '../../db/command.ts'
import type { Job } from '../../jobs/loop.ts'
import { holding, retryTime } from '../../jobs/work.ts'
import { serve } from './deliver.ts'
import type { DeliveryDeps } from './deps.ts'
import { DELIVER_JOB } from './fan-out.ts'
import { RECOVER_JOB } from './recover.ts'
import { keepPartitionsJob } from './retention.ts'
import type { DeliveryService } from './service.ts'
import * as store from './store.ts'

/** Requests of one process at a time. Most of them wait for somebody else's server. */
const MOST_AT_ONCE = 200
/** Endpoints of one claim. */
const LIMIT = 50

/** Sends what is due, and queues what is asked for again. */
export function deliveryJobs(deps: DeliveryDeps, deliveries: Pick<DeliveryService, 'makePages'>): Job[] {
  const recover: Job = { name: RECOVER_JOB, restMillis: 60_000, run: () => deliveries.makePages(RECOVERIES) }
  return [deliverJob(deps), recover, keepPartitionsJob(deps)]
}

/** Pages of recoveries in one run. */
const RECOVERIES = 10

/**
 * Sends what is due. A claimed endpoint is served beside the loop: a receiver that lets its ten seconds pass keeps nobody else
 * waiting.
 */
export function deliverJob(deps: DeliveryDeps): Job {
  const inHand = new Set<Promise<void>>()
  const start = (claim: store.EndpointClaim) => {
    const served = serveHeld(deps, claim).finally(() => inHand.delete(served))
    inHand.add(served)
  }
  return {
    name: DELIVER_JOB,
    async run() {
      if (!deps.isOn) return { taken: 0, nextDueAt: null }
      if (inHand.size >= MOST_AT_ONCE) await Promise.race(inHand)
      const limit = Math.min(LIMIT, MOST_AT_ONCE - inHand.size)
      const { rows, nextDueAt } = await store.endpointWork.claim(deps, limit)
      for (const claim of rows) start(claim)
      return { taken: rows.length, nextDueAt }
    },
    async settled() {
      while (inHand.size > 0) await Promise.all(inHand)
    },
  }
}

/** Never fails: what could not be done is tried again later. */
async function serveHeld(deps: DeliveryDeps, claim: store.EndpointClaim): Promise<void> {
  try {
    await holding(deps, store.endpointWork, claim, () => serve(deps, claim))
  } catch (error) {
    const { merchantId: merchant_id, attempts } = claim
    deps.log.failure('work failed', error, { job: DELIVER_JOB, merchant_id, attempt: attempts })
    const declaration = { name: 'webhooks.postpone', silent: 'When to try again is not a change that anyone sees.' }
    const retryAt = (at: Date) => retryTime(at, attempts)
    await single(deps, declaration, ({ on, at }) => store.endpointWork.postpone(on, claim, retryAt(at))).catch(
      () => false,
    )
  }
}
