import type { EventRow } from '../db/command.ts'

/** A stored event, as its columns have it. */
export interface StoredEvent extends Omit<EventRow, 'parked'> {
  merchantId: string
  occurredAt: Date
}

/**
 * The body of an event, as every reader gets it: the same bytes each time. What is a column of its own is stored there
 * only, so this form must never change; another form is another `schema_version`, and is made beside it.
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
