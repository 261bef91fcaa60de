import { type Environment, EVENT_SCHEMA_VERSION, MAX_EVENT_BYTES } from '@mintmark/contract'
import type { CaptureContext, Captured, EventRow, EventSink } from '../db/command.ts'
import { wake } from '../jobs/wake.ts'
import { bound } from '../platform/bound.ts'
import { newOrderedId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { bodyOf } from './body.ts'
import type { EventDeps } from './deps.ts'
import { find, list } from './feed.ts'
import { findLag, listParked, NUMBER_JOB, numberWaiting } from './number.ts'
import { keepPartitions } from './retention.ts'
import { insertEvent } from './store.ts'

export { bodyOf, type StoredEvent } from './body.ts'
export type { Numbered, OnNumbered } from './deps.ts'

interface SinkDeps {
  environment: Environment
  log: Log
}

/** Where commands put their events. The bytes of a body are fixed here, for every retry, replay and read. */
export function createEventSink(deps: SinkDeps): EventSink {
  const prepare = (context: CaptureContext, event: Captured) => prepareEvent(deps, context, event)
  return {
    prepare,
    async append(tx, events, at) {
      for (const event of events) {
        await insertEvent(tx, { ...prepare({ on: tx, at }, event), merchantId: event.merchantId, at })
      }
    },
  }
}

function prepareEvent({ environment, log }: SinkDeps, { on, at }: CaptureContext, event: Captured): EventRow {
  const { merchantId, type: eventType } = event
  const { type: resourceType, id: resourceId, version: resourceVersion } = event.resource
  const row = {
    // Its time is the event's own, so that it is found by it.
    eventId: newOrderedId('event', at),
    ...{ eventType, resourceType, resourceId, resourceVersion, environment },
    schemaVersion: EVENT_SCHEMA_VERSION,
    eventData: JSON.stringify(event.data),
  }
  const bytes = Buffer.byteLength(bodyOf({ ...row, merchantId, occurredAt: at }))
  const isTooLarge = bytes > MAX_EVENT_BYTES
  // The change itself goes on: it happened, and the readers of events must not decide whether it may.
  if (isTooLarge) {
    log.error('an event is too large and is parked', {
      ...{ alarm: 'event_parked', merchant_id: merchantId, event_id: row.eventId, count: bytes },
    })
  } else wake(on, NUMBER_JOB)
  return { ...row, parked: isTooLarge ? 'too_large' : null }
}

export type EventService = ReturnType<typeof createEventService>
export const createEventService = (deps: EventDeps) =>
  bound(deps, { list, find, numberWaiting, keepPartitions, findLag, listParked })
