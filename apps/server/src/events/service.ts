import { type Environment, EVENT_SCHEMA_VERSION } from '@mintmark/contract'
import type { Captured, EventRow, EventSink } from '../db/command.ts'
import { newId } from '../platform/ids.ts'
import { insertEvent } from './store.ts'

interface Deps {
  environment: Environment
}

/** Where commands put their events. The bytes of a body are fixed here, for every retry, replay and read. */
export function createEventSink(deps: Deps): EventSink {
  const prepare = (event: Captured, at: Date): EventRow => {
    const eventId = newId('event')
    const { type: resourceType, id: resourceId, version: resourceVersion } = event.resource
    const eventBody = bodyOf(deps, eventId, event, at)
    return { eventId, eventType: event.type, resourceType, resourceId, resourceVersion, eventBody }
  }
  return {
    prepare,
    async append(tx, events, at) {
      for (const event of events) await insertEvent(tx, { ...prepare(event, at), merchantId: event.merchantId, at })
    },
  }
}

/** The body of an event, as every reader gets it. */
export function bodyOf({ environment }: Deps, id: string, { merchantId, type, resource, data }: Captured, at: Date) {
  return JSON.stringify({
    id,
    type,
    schema_version: EVENT_SCHEMA_VERSION,
    occurred_at: at.toISOString(),
    environment,
    account_id: merchantId,
    resource,
    data,
  })
}
