import { type Change, command, commandOnce, outcomeOf } from '../../db/command.ts'
import { dayOf } from '../../db/partitions.ts'
import { endOverdue } from '../../jobs/overdue.ts'
import { wake } from '../../jobs/wake.ts'
import { addSeconds } from '../../platform/clock.ts'
import { fieldErrors, unavailable } from '../../platform/errors.ts'
import { idBefore, idTime, newOrderedId } from '../../platform/ids.ts'
import { checkDelivering } from '../delivering.ts'
import type { EndpointRef } from '../ref.ts'
import type { DeliveryDeps } from './deps.ts'
import { recoveryInProgress, tooManyRecoveries } from './errors.ts'
import { DELIVER_JOB, generation } from './fan-out.ts'
import { HISTORY_SECONDS } from './history.ts'
import * as queue from './queue-store.ts'
import * as store from './recovery-store.ts'
import { lockReady } from './replay.ts'
import { liveRevision } from './rules.ts'

export const RECOVER_JOB = 'webhooks.recover'

/** Events in one transaction. */
const PAGE = 500

/**
 * Recoveries of an account. One call writes as many rows as there are events in 30 days: without a bound, one key could fill the disk of
 * all. Where calls for several endpoints come at the same moment, each may see the last place free; they are five at most.
 */
const MAX_AN_HOUR = 10
const HOUR_SECONDS = 3600

export interface Range {
  from: Date
  /** Undefined: now. */
  to: Date | undefined
}

/**
 * Queues all events of a time for an endpoint, each once, in the background. The same key returns the one that it began, as it
 * stands. What comes after the call is queued anyway.
 */
export async function recover(
  deps: DeliveryDeps,
  ref: EndpointRef,
  range: Range,
  key: string,
): Promise<store.RecoveryRow> {
  checkDelivering(deps)
  const { merchantId } = ref
  const input = JSON.stringify([ref.endpointId, range.from, range.to ?? null])
  const idempotencyKey = { merchantId, operation: 'webhooks.recover', key, input }
  const declaration = { name: 'webhooks.recover', silent: 'telling' } as const
  const done = outcomeOf(
    await commandOnce(deps, declaration, idempotencyKey, async (change) => ({
      recoveryId: await insert(change, ref, range),
    })),
  )
  if (done === null) throw unavailable()
  const { recoveryId } = done.outcome
  const recovery = await store.findRecovery(deps.pool, { merchantId, recoveryId })
  if (recovery === undefined) throw unavailable()
  return recovery
}

async function insert(change: Change, ref: EndpointRef, { from, to }: Range): Promise<string> {
  const { tx, at } = change
  const toAt = to === undefined || to > at ? at : to
  checkRange(from, toAt, at)
  const { revision } = await lockReady(change, ref)
  const { merchantId, endpointId } = ref
  await checkCount(change, merchantId)
  const { feedPos: lastPos = 0n } = (await store.findHead(tx, { merchantId })) ?? {}
  const recoveryId = newOrderedId('recovery', at)
  const place = { merchantId, endpointId, recoveryId, revision, fromAt: from, toAt, lastPos, at }
  if ((await store.insertRecovery(tx, place)) === 0) throw recoveryInProgress()
  wake(tx, RECOVER_JOB)
  return recoveryId
}

async function checkCount({ tx, at }: Change, merchantId: string): Promise<void> {
  const after = idBefore('recovery', addSeconds(at, -HOUR_SECONDS))
  const { count = 0, first = null } = (await store.countRecent(tx, { merchantId, after, limit: MAX_AN_HOUR })) ?? {}
  if (count < MAX_AN_HOUR || first === null) return
  const millis = addSeconds(idTime('recovery', first), HOUR_SECONDS).getTime() - at.getTime()
  throw tooManyRecoveries({ retryAfterSeconds: Math.max(1, Math.ceil(millis / 1000)) })
}

function checkRange(from: Date, to: Date, at: Date): void {
  if (from < addSeconds(at, -HISTORY_SECONDS)) throw fieldErrors({ from: 'must be within the last 30 days' })
  if (from > to) throw fieldErrors({ from: 'must not be later than the end of the range' })
}

/** Makes the next page of a recovery. False: another worker does. */
async function makePage(deps: DeliveryDeps, merchantId: string, recoveryId: string): Promise<boolean> {
  const made = await command(deps, { name: 'webhooks.recover_page', silent: 'telling' }, async (change) => {
    const { tx, at } = change
    const recovery = await store.lockRunning(tx, { merchantId, recoveryId })
    if (recovery === undefined) return false
    const { endpointId, afterAt, afterId, toAt, lastPos } = recovery
    await queue.openWork(tx, { merchantId, endpointId, at })
    const endpoint = await queue.lockEndpoint(tx, { merchantId, endpointId })
    if (endpoint === undefined || liveRevision(endpoint) !== recovery.revision) {
      await store.updateOver(tx, { merchantId, recoveryId, state: 'cancelled', at })
      return true
    }
    const days = { fromDay: dayOf(afterAt), toDay: dayOf(toAt) }
    const events = await store.listEvents(tx, { merchantId, ...days, afterAt, afterId, toAt, lastPos, limit: PAGE })
    const wanted = events.filter(({ type }) => endpoint.events.includes(type))
    const last = events.at(-1)
    if (last !== undefined) {
      const queued = await queueAll(change, { merchantId, endpointId, revision: recovery.revision }, wanted)
      await store.updatePage(tx, { merchantId, recoveryId, afterAt: last.occurredAt, afterId: last.id, queued })
    }
    if (events.length < PAGE) await store.updateOver(tx, { merchantId, recoveryId, state: 'completed', at })
    return true
  })
  return made ?? false
}

type Wanted = readonly { id: string; type: string }[]

async function queueAll(
  { tx, at }: Change,
  place: EndpointRef & { revision: number },
  events: Wanted,
): Promise<number> {
  const { day, windowEndsAt } = generation(at)
  // One id after the other: the history shows them in the order of the events.
  const ids = events.map(() => newOrderedId('delivery', at)).sort()
  const lists = { ids, eventIds: events.map(({ id }) => id), eventTypes: events.map(({ type }) => type) }
  wake(tx, DELIVER_JOB)
  return (await queue.insertRecovered(tx, { ...place, ...lists, day, windowEndsAt, at })).length
}

/** Goes on with what is asked for, a page each. */
export const makePages = endOverdue<DeliveryDeps>(store.runningRecoveries, {
  name: RECOVER_JOB,
  handle: (deps, { merchantId, id }) => makePage(deps, merchantId, id),
})
