import type { Change } from '../../db/command.ts'
import { later } from '../../db/pipeline.ts'
import type { Tx } from '../../db/transaction.ts'
import { wake } from '../../jobs/wake.ts'
import { deliveryDays } from './day.ts'
import { DELIVER_JOB } from './fan-out.ts'
import { liveRevision, MAX_ATTEMPTS, takesDeliveries } from './rules.ts'
import * as store from './store.ts'

/** Deliveries that are ended in one transaction, of each sort. More are ended with the next claim. */
const PAGE = 500

/** A delivery that may be sent now. */
export interface Next {
  id: string
  eventId: string
  body: string | null
  windowEndsAt: Date
}

/**
 * Ends what is over or left behind, and finds what may be sent now. Null: nothing may, and the lease is given back until it may,
 * or the work is closed because nothing is queued. Under the locks of the endpoint and its work, so that nothing that is queued
 * meanwhile is forgotten.
 */
export async function settle(
  change: Change,
  claim: store.EndpointClaim,
  endpoint: store.Endpoint,
  /** What was just looked at under the locks; absent where it has changed since. */
  seen?: store.Queue,
): Promise<Next | null> {
  const { tx, at } = change
  const queue = await endSome(change, claim, endpoint, seen)
  const next = sendable(queue, endpoint, at)
  if (next !== null) return next
  const dueAt = isOver(queue, at) ? at : whenDue(queue, endpoint)
  if (dueAt === null) later(tx, () => store.endpointWork.finish(tx, claim))
  else giveBack(tx, claim, dueAt)
  return null
}

/** Gives the lease back until then. The loop may be at rest for longer. */
export function giveBack(tx: Tx, claim: store.EndpointClaim, dueAt: Date): void {
  later(tx, () => store.endpointWork.postpone(tx, claim, dueAt))
  wake(tx, DELIVER_JOB)
}

/** The queue, after a page of what has to end was ended. */
async function endSome(
  { tx, at }: Change,
  claim: store.EndpointClaim,
  endpoint: store.Endpoint,
  seen: store.Queue | undefined,
): Promise<store.Queue> {
  const place = { merchantId: claim.merchantId, endpointId: claim.id, revision: liveRevision(endpoint) }
  const { merchantId, endpointId } = place
  const look = async () => {
    const queue = await store.findQueue(tx, { ...place, except: store.NONE })
    if (queue === undefined) throw new Error('The queue of an endpoint has one row.')
    return queue
  }
  const queue = seen ?? (await look())
  const stale = queue.isStale ? await store.listStale(tx, { ...place, limit: PAGE }) : []
  const over = hasWindowOver(queue, at) ? await store.listOver(tx, { merchantId, endpointId, at, limit: PAGE }) : []
  const left = new Set(stale.map(({ id }) => id))
  const failed = over.map(({ id }) => id).filter((id) => !left.has(id))
  // Its last try was lost with its worker.
  if (queue.deliveryId !== null && (queue.attempts ?? 0) >= MAX_ATTEMPTS) failed.push(queue.deliveryId)
  if (left.size > 0) await store.updateCancelled(tx, { merchantId, at, ids: [...left], days: deliveryDays([...left]) })
  if (failed.length > 0) await store.updateFailed(tx, { merchantId, at, ids: failed, days: deliveryDays(failed) })
  return left.size + failed.length > 0 ? look() : queue
}

/** What of a queue may be sent now. */
export function sendable(queue: store.Queue, endpoint: store.Endpoint, at: Date): Next | null {
  const { deliveryId: id, eventId, body, attempts, sendAt, windowEndsAt } = queue
  if (id === null || eventId === null || sendAt === null || windowEndsAt === null) return null
  const isDue = sendAt <= at && windowEndsAt > at && (attempts ?? 0) < MAX_ATTEMPTS
  const rests = endpoint.circuitUntil !== null && endpoint.circuitUntil > at
  return isDue && !rests && takesDeliveries(endpoint) ? { id, eventId, body, windowEndsAt } : null
}

/** Something is left that has to end now. */
function isOver(queue: store.Queue, at: Date): boolean {
  return queue.isStale || hasWindowOver(queue, at) || (queue.attempts ?? 0) >= MAX_ATTEMPTS
}

function hasWindowOver({ firstEnd }: store.Queue, at: Date): boolean {
  return firstEnd !== null && firstEnd <= at
}

/** When there is something to do next; null: nothing is queued. */
function whenDue({ sendAt, firstEnd }: store.Queue, endpoint: store.Endpoint): Date | null {
  if (firstEnd === null) return null
  if (sendAt === null || !takesDeliveries(endpoint)) return firstEnd
  const { circuitUntil } = endpoint
  const sent = circuitUntil !== null && circuitUntil > sendAt ? circuitUntil : sendAt
  return sent < firstEnd ? sent : firstEnd
}
