import { command, type Rollback, rollback } from '../../db/command.ts'
import { later } from '../../db/pipeline.ts'
import { wake } from '../../jobs/wake.ts'
import { unbounded, waitAway } from '../../platform/bounds.ts'
import { unmoved } from '../../platform/clock.ts'
import { unavailable } from '../../platform/errors.ts'
import type { EndpointRef } from '../ref.ts'
import { type DeliveryDeps, NO_EVENT } from './deps.ts'
import { endpointBusy } from './errors.ts'
import { DELIVER_JOB } from './fan-out.ts'
import * as throttle from './throttle.ts'
import { lockApplication, updateWaiting } from './throttle-store.ts'

// Requests that a caller waits for (a challenge, a test) are no deliveries, but the receiver sees no difference: they
// take slots of the application like all others.

/** Until it is given back, or is believed to be over, nothing else is sent to the endpoint. */
interface Slot extends EndpointRef {
  flightUntil: number
  /** When it was taken, on the monotonic clock. */
  startedMillis: number
}

/** The rate lets go within a second; a request that is on its way may take ten. */
const LONGEST_WAIT_MILLIS = 1_200
const READ_AGAIN_MILLIS = 50

/** Sends by `send` while nothing else is on its way to the endpoint. Waits a little for a slot, and then refuses. */
export async function sendAlone(deps: DeliveryDeps, ref: EndpointRef, send: () => Promise<void>): Promise<void> {
  const slot = await takeSlot(deps, ref)
  try {
    if (performance.now() - slot.startedMillis > throttle.STALE_MILLIS) throw unavailable()
    await send()
  } finally {
    // Also when the caller has gone. A slot that could not be given back is free when the request must be over.
    await unbounded(() => freeSlot(deps, slot)).catch((error: unknown) =>
      deps.log.failure('a slot could not be given back', error, { merchant_id: ref.merchantId }),
    )
  }
}

async function takeSlot(deps: DeliveryDeps, ref: EndpointRef): Promise<Slot> {
  const endsAtMillis = performance.now() + LONGEST_WAIT_MILLIS
  for (;;) {
    const taken = await trySlot(deps, ref)
    if ('flightUntil' in taken) return taken
    if (performance.now() >= endsAtMillis) {
      throw endpointBusy({ retryAfterSeconds: Math.max(1, Math.ceil(taken.waitMillis / 1000)) })
    }
    await waitAway(READ_AGAIN_MILLIS)
  }
}

async function trySlot(deps: DeliveryDeps, ref: EndpointRef): Promise<Slot | { waitMillis: number }> {
  const { merchantId, endpointId } = ref
  const declaration = { name: 'webhooks.take_slot', why: NO_EVENT, together: 'pipeline' } as const
  let waitMillis = 0
  let hasApplication = true
  const slot = await command(deps, declaration, async ({ tx }): Promise<Slot | Rollback> => {
    const application = await lockApplication(tx, { merchantId })
    hasApplication = application !== undefined
    if (application === undefined) return rollback
    const even = unmoved(deps.clock)
    const early = throttle.tooEarlyUntil(application, endpointId, even)
    waitMillis = early === null ? 0 : early.until.getTime() - even.getTime()
    if (early !== null) return rollback
    throttle.keep(tx, merchantId, throttle.withClaim(application, endpointId, even))
    return { ...ref, flightUntil: throttle.flightEnd(even), startedMillis: performance.now() }
  })
  if (!hasApplication) await throttle.insertApplication(deps, merchantId)
  return slot ?? { waitMillis }
}

/** What waited for the slot is due now: other endpoints, and what is queued for this one. */
async function freeSlot(deps: DeliveryDeps, { merchantId, endpointId, flightUntil }: Slot): Promise<void> {
  const declaration = { name: 'webhooks.free_slot', why: NO_EVENT, together: 'pipeline' } as const
  await command(deps, declaration, async ({ tx, at }): Promise<true | Rollback> => {
    const application = await lockApplication(tx, { merchantId })
    if (application?.flights[endpointId] !== flightUntil) return rollback
    throttle.keep(tx, merchantId, throttle.withLanding(application, endpointId, unmoved(deps.clock)))
    later(tx, () => updateWaiting(tx, { merchantId, waiting: [...application.waiting, endpointId], at }))
    wake(tx, DELIVER_JOB)
    return true
  })
}
