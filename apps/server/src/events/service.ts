import { type Environment, EVENT_SCHEMA_VERSION } from '@mintmark/contract'
import type { Captured, EventRow, EventSink } from '../db/command.ts'
import { newId } from '../platform/ids.ts'
import { insertEvent } from './store.ts'

interface Deps {
  environment: Environment
}

/** Where commands put their events. The bytes of a body are fixed here, for every retry, replay and read. */
export function createEventSink({ environment }: Deps): EventSink {
  const prepare = (event: Captured): EventRow => {
    const { type: resourceType, id: resourceId, version: resourceVersion } = event.resource
    return {
      eventId: newId('event'),
      eventType: event.type,
      resourceType,
      resourceId,
      resourceVersion,
      schemaVersion: EVENT_SCHEMA_VERSION,
      environment,
      eventData: JSON.stringify(event.data),
    }
  }
  return {
    prepare,
    async append(tx, events, at) {
      for (const event of events) await insertEvent(tx, { ...prepare(event), merchantId: event.merchantId, at })
    },
  }
}

/** A stored event, as its columns have it. */
export interface StoredEvent extends EventRow {
  merchantId: string
  occurredAt: Date
}

/**
 * The body of an event, as every reader gets it: the same bytes each time. What is a column of its own is stored there only,
 * so this form must never change; another form is another `schema_version`, and is made beside it.
 */
export function bodyOf(event: StoredEvent): string {
  const text = JSON.stringify
  const { resourceType: type, resourceId: id, resourceVersion: version } = event
  const head = [
    `"id":${text(event.eventId)},"type":${text(event.eventType)},"schema_version":${text(event.schemaVersion)}`,
    `"occurred_at":${text(event.occurredAt.toISOString())},"environment":${text(event.environment)}`,
    `"account_id":${text(event.merchantId)},"resource":${text({ type, id, version })}`,
  ]
  return `{${head.join()},"data":${event.eventData}}`
}
