import { pipelinedCommand, type Rollback, rollback } from '../../db/command.ts'
import { later } from '../../db/pipeline.ts'
import { wake } from '../../jobs/wake.ts'
import { unbounded, waitAway } from '../../platform/bounds.ts'
import { unmoved } from '../../platform/clock.ts'
import { unavailable } from '../../platform/errors.ts'
import type { EndpointRef } from '../ref.ts'
import type { DeliveryDeps } from './deps.ts'
import { endpointBusy } from './errors.ts'
import { DELIVER_JOB } from './fan-out.ts'
import { insertApplication, updatePace } from './locks.ts'
import * as pace from './pace.ts'
import * as store from './store.ts'

// Requests that a caller waits for (a challenge, a test) are no deliveries, but the receiver sees no difference: they take places among
// the requests of the application like all others.

/** Until it is given back, or is believed to be over, nothing else is sent to the endpoint. */
interface Place extends EndpointRef {
  flightUntil: number
  /** When it was taken, on the monotonic clock. */
  begunMillis: number
}

/** The rate lets go within a second; a request that is on its way may take ten. */
const MAX_WAIT_MILLIS = 1_200
const LOOK_AGAIN_MILLIS = 50

/** Sends by `send` while nothing else is on its way to the endpoint. Waits a little for a place, and then refuses. */
export async function sendAlone(deps: DeliveryDeps, ref: EndpointRef, send: () => Promise<void>): Promise<void> {
  const place = await takePlace(deps, ref)
  try {
    if (performance.now() - place.begunMillis > (deps.staleMillis ?? pace.STALE_MILLIS)) throw unavailable()
    await send()
  } finally {
    // Also when the caller has gone. A place that could not be given back is free when the request must be over.
    await unbounded(() => land(deps, place)).catch((error: unknown) =>
      deps.log.failure('a place could not be given back', error, { merchant_id: ref.merchantId }),
    )
  }
}

async function takePlace(deps: DeliveryDeps, ref: EndpointRef): Promise<Place> {
  const endsAtMillis = performance.now() + MAX_WAIT_MILLIS
  for (;;) {
    // The last look begins when the wait is over: one that took long says how it was when it began.
    const isLast = performance.now() >= endsAtMillis
    const taken = await tryPlace(deps, ref)
    if ('flightUntil' in taken) return taken
    if (isLast) {
      throw endpointBusy({ retryAfterSeconds: Math.max(1, Math.ceil(taken.waitMillis / 1000)) })
    }
    await waitAway(LOOK_AGAIN_MILLIS)
  }
}

async function tryPlace(deps: DeliveryDeps, ref: EndpointRef): Promise<Place | { waitMillis: number }> {
  const { merchantId, endpointId } = ref
  const declaration = { name: 'webhooks.take_place', silent: 'telling' } as const
  let waitMillis = 0
  let hasApplication = true
  const place = await pipelinedCommand(deps, declaration, async ({ tx }): Promise<Place | Rollback> => {
    const application = await store.lockApplication(tx, { merchantId })
    hasApplication = application !== undefined
    if (application === undefined) return rollback
    const even = unmoved(deps.clock)
    const early = pace.tooEarlyUntil(application, endpointId, even)
    waitMillis = early === null ? 0 : early.until.getTime() - even.getTime()
    if (early !== null) return rollback
    updatePace(tx, merchantId, pace.withClaim(application, endpointId, even))
    return { ...ref, flightUntil: pace.flightEnd(even), begunMillis: performance.now() }
  })
  if (!hasApplication) await insertApplication(deps, merchantId)
  return place ?? { waitMillis }
}

/** What waited for the place is due now: other endpoints, and what is queued for this one. */
async function land(deps: DeliveryDeps, { merchantId, endpointId, flightUntil }: Place): Promise<void> {
  const declaration = { name: 'webhooks.land', silent: 'telling' } as const
  await pipelinedCommand(deps, declaration, async ({ tx, at }): Promise<true | Rollback> => {
    const application = await store.lockApplication(tx, { merchantId })
    if (application?.flights[endpointId] !== flightUntil) return rollback
    updatePace(tx, merchantId, pace.withLanding(application, endpointId, unmoved(deps.clock)))
    later(tx, () => store.updateWaiting(tx, { merchantId, waiting: [...application.waiting, endpointId], at }))
    wake(tx, DELIVER_JOB)
    return true
  })
}
