import { DELIVERIES_ON_A_PAGE, type DeliveryState, EVENT_RETENTION_DAYS } from '@mintmark/contract'
import type { Queryable } from '../../db/statement.ts'
import { addSeconds } from '../../platform/clock.ts'
import { notFound } from '../../platform/errors.ts'
import { idBefore, isOrderedId } from '../../platform/ids.ts'
import type { EndpointRef } from '../ref.ts'
import { deliveryDay } from './day.ts'
import type { DeliveryDeps } from './deps.ts'
import * as store from './history-store.ts'
import { CLAIMS_A_SECOND } from './pace.ts'
import { findEventBody } from './payload.ts'
import { liveRevision } from './rules.ts'

/** How long deliveries and their attempts are shown, and can be replayed. */
export const HISTORY_SECONDS = EVENT_RETENTION_DAYS * 24 * 3600

export interface DeliveryRef {
  merchantId: string
  deliveryId: string
}

/** A delivery, as it stands at a moment. */
export interface Shown {
  delivery: store.DeliveryRow
  endpoint: store.EndpointRow
}

export interface DeliveryPage {
  deliveries: Shown[]
  /** The last one of the page, if more follow. */
  next: string | null
  /** What waits for the account, and when it has been begun at the earliest. */
  queue: { count: number; emptyAt: Date | null }
}

/** More waiting deliveries are said as this many. */
const MAX_COUNTED = 10_000

type ReadDeps = Pick<DeliveryDeps, 'pool' | 'clock'>

/** The deliveries of an endpoint, newest first, from behind one of them on. */
export async function list(
  { pool, clock }: ReadDeps,
  { merchantId, endpointId }: EndpointRef,
  before: string | undefined,
): Promise<DeliveryPage> {
  const endpoint = await store.findEndpoint(pool, { merchantId, endpointId })
  if (endpoint === undefined || endpoint.deletedAt !== null) throw notFound()
  const at = clock.now()
  const limit = DELIVERIES_ON_A_PAGE + 1
  const waiting = store.countQueued(pool, { merchantId, most: MAX_COUNTED })
  const listed = store.listDeliveries(pool, {
    merchantId,
    endpointId,
    // One more second: ids of this moment sort after its beginning.
    before: before ?? idBefore('delivery', addSeconds(at, 1)),
    oldest: idBefore('delivery', addSeconds(at, -HISTORY_SECONDS)),
    limit,
  })
  const [rows, { count } = { count: 0 }] = await Promise.all([listed, waiting])
  const page = rows.slice(0, DELIVERIES_ON_A_PAGE)
  const next = rows.length === limit ? (page.at(-1)?.id ?? null) : null
  const emptyAt = count === 0 ? null : addSeconds(at, count / CLAIMS_A_SECOND)
  return { deliveries: page.map((delivery) => shownAt({ delivery, endpoint }, at)), next, queue: { count, emptyAt } }
}

/** A delivery with its attempts, and its body while that is kept. `NOT_FOUND` for one that is not kept any more. */
export async function find(deps: ReadDeps, ref: DeliveryRef): Promise<Shown & { body: string | undefined }> {
  const at = deps.clock.now()
  const found = await findKept(deps.pool, ref, at)
  const { merchantId } = ref
  const { body: own, eventId } = found.delivery
  return { ...shownAt(found, at), body: own ?? (await findEventBody(deps, { merchantId, eventId })) }
}

/** As it is stored. */
export async function findKept(on: Queryable, ref: DeliveryRef, at: Date): Promise<Shown> {
  const { merchantId, deliveryId } = ref
  if (!isOrderedId('delivery', deliveryId)) throw notFound()
  const delivery = await store.findDelivery(on, { merchantId, deliveryId, day: deliveryDay(deliveryId) })
  if (delivery === undefined || delivery.createdAt < addSeconds(at, -HISTORY_SECONDS)) throw notFound()
  const endpoint = await store.findEndpoint(on, { merchantId, endpointId: delivery.endpointId })
  if (endpoint === undefined) throw notFound()
  return { delivery, endpoint }
}

/**
 * What is over is shown so from the moment on at which it was, though the row is written a little later: cancelled with the change
 * of its endpoint, failed with the end of its window.
 */
function shownAt({ delivery, endpoint }: Shown, at: Date): Shown {
  if (delivery.state !== 'queued') return { delivery, endpoint }
  const ended = (state: DeliveryState, finishedAt: Date): Shown => ({
    delivery: { ...delivery, state, finishedAt },
    endpoint,
  })
  if (delivery.revision < liveRevision(endpoint)) return ended('cancelled', endpoint.deletedAt ?? endpoint.updatedAt)
  if (delivery.windowEndsAt <= at) return ended('failed', delivery.windowEndsAt)
  return { delivery, endpoint }
}
