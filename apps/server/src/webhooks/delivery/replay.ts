import { type Change, command, commandOnce, outcomeOf } from '../../db/command.ts'
import { eventTime } from '../../events/ref.ts'
import { wake } from '../../jobs/wake.ts'
import { checkActive } from '../../merchants/service.ts'
import { addSeconds } from '../../platform/clock.ts'
import { notFound, unavailable } from '../../platform/errors.ts'
import { newOrderedId } from '../../platform/ids.ts'
import { checkDelivering } from '../delivering.ts'
import { endpointNotVerified } from '../errors.ts'
import type { EndpointRef } from '../ref.ts'
import type { DeliveryDeps } from './deps.ts'
import { deliveryExpired, endpointDisabled, endpointNotSubscribed, endpointPaused } from './errors.ts'
import { DELIVER_JOB, generation } from './fan-out.ts'
import { type DeliveryRef, findKept, HISTORY_SECONDS } from './history.ts'
import * as store from './queue-store.ts'

/**
 * Queues a delivery again, as a new one: the same event and bytes, with tries and 72 hours of its own. The same key returns the one
 * that it made. Returns its id.
 */
export async function replay(deps: DeliveryDeps, ref: DeliveryRef, key: string): Promise<string> {
  checkDelivering(deps)
  const { merchantId } = ref
  const idempotencyKey = { merchantId, operation: 'webhooks.replay', key, input: ref.deliveryId }
  const declaration = { name: 'webhooks.replay', silent: 'telling' } as const
  const done = outcomeOf(
    await commandOnce(deps, declaration, idempotencyKey, async (change) => ({
      deliveryId: await insertAgain(change, ref),
    })),
  )
  if (done === null) throw unavailable()
  return done.outcome.deliveryId
}

/**
 * On the connection of the change alone: equal calls at the same moment hold all other connections and wait for this one. With a second
 * one it would wait for them.
 */
async function insertAgain(change: Change, ref: DeliveryRef): Promise<string> {
  const { tx, at } = change
  const { delivery } = await findKept(tx, ref, at)
  const { endpointId, eventId, eventType, body, createdAt } = delivery
  const { merchantId } = ref
  const endpoint = await lockReady(change, { merchantId, endpointId })
  if (!endpoint.events.includes(eventType)) throw endpointNotSubscribed()
  const capturedAt = body === null ? (eventTime(eventId) ?? createdAt) : createdAt
  if (capturedAt < addSeconds(at, -HISTORY_SECONDS)) throw deliveryExpired()
  const deliveryId = newOrderedId('delivery', at)
  const { day, windowEndsAt } = generation(at)
  const { revision } = endpoint
  const place = { merchantId, deliveryId, day, endpointId, revision, eventId, eventType, body, windowEndsAt, at }
  await store.insertReplay(tx, { ...place, replayOf: delivery.id })
  wake(tx, DELIVER_JOB)
  return deliveryId
}

/**
 * The endpoint, which takes deliveries until the end of the transaction, and its work, which no worker closes until then. So what is
 * queued here is either sent, or cancelled by a change of the endpoint that comes after it. `MERCHANT_LOOKUP_ERROR` while the account is
 * suspended: what happens is still sent, and nothing that a caller asks for.
 */
export async function lockReady({ tx, at }: Change, { merchantId, endpointId }: EndpointRef) {
  await checkActive(tx, merchantId)
  await store.openWork(tx, { merchantId, endpointId, at })
  const endpoint = await store.lockEndpoint(tx, { merchantId, endpointId })
  if (endpoint === undefined || endpoint.deletedAt !== null) throw notFound()
  if (endpoint.disabledReason !== null) throw endpointDisabled()
  if (endpoint.verifiedAt === null) throw endpointNotVerified()
  if (!endpoint.enabled) throw endpointPaused()
  return endpoint
}

interface TestDelivery extends EndpointRef {
  eventId: string
  eventType: string
  body: string
}

/** Queues an event that is in no feed, for one endpoint. Returns the id of the delivery. */
export async function insertTest(deps: DeliveryDeps, test: TestDelivery): Promise<string> {
  checkDelivering(deps)
  const { merchantId, endpointId, eventId, eventType, body } = test
  const queued = await command(deps, { name: 'webhooks.queue_test', silent: 'telling' }, async (change) => {
    const { tx, at } = change
    const { revision } = await lockReady(change, test)
    const { day, windowEndsAt } = generation(at)
    const deliveryId = newOrderedId('delivery', at)
    const place = { merchantId, deliveryId, day, endpointId, revision, eventId, eventType, body, windowEndsAt, at }
    await store.insertReplay(tx, { ...place, replayOf: null })
    wake(tx, DELIVER_JOB)
    return deliveryId
  })
  if (queued === null) throw unavailable()
  return queued
}
