import { int, text, time } from '../db/row.ts'

// Parts of statements that capture events, or read them.

const CAPTURED_COLUMNS = `merchant_id, id, type, resource_type, resource_id, resource_version, schema_version, environment, data,
     occurred_at, parked`

/** The end of a statement that changes something and captures it: the event, if the CTE `changed` has a row. */
export const INSERT_EVENT = `insert into captured_events (${CAPTURED_COLUMNS})
   select $merchantId, $eventId, $eventType, $resourceType, $resourceId, $resourceVersion, $schemaVersion, $environment,
     $eventData, $at, $parked
   from changed
   returning resource_id` as const

/** The same of an event by itself. */
export const INSERT_EVENT_VALUES = `insert into captured_events (${CAPTURED_COLUMNS})
   values ($merchantId, $eventId, $eventType, $resourceType, $resourceId, $resourceVersion, $schemaVersion, $environment,
     $eventData, $at, $parked)` as const

/** The same of a resource whose id is SQL; null is refused. */
export const insertEventOf = <const Resource extends string>(resource: Resource) =>
  `insert into captured_events (${CAPTURED_COLUMNS})
   select $merchantId, $eventId, $eventType, $resourceType, ${resource}, $resourceVersion, $schemaVersion, $environment,
     $eventData, $at, $parked
   returning resource_id` as const

/** A numbered event, as `bodyOf` (`body.ts`) makes a body of it. `EVENT_LIST` selects it from `events`. */
export const EVENT = {
  merchantId: text,
  eventId: text,
  eventType: text,
  resourceType: text,
  resourceId: text,
  resourceVersion: int,
  schemaVersion: text,
  environment: text,
  eventData: text,
  occurredAt: time,
}
export const EVENT_LIST = `events.merchant_id, events.id as event_id, events.type as event_type, events.resource_type,
  events.resource_id, events.resource_version, events.schema_version, events.environment, events.data as event_data,
  events.occurred_at` as const

/** An INSERT of a second event in a statement that has one already: that a mandate ended with its payment. It is about the `id` that a CTE has. */
export const insertConsumedEvent = <const Cte extends string>(cte: Cte) =>
  `insert into captured_events (merchant_id, id, type, resource_type, resource_id, resource_version, schema_version,
       environment, data, occurred_at)
     select $merchantId, $consumedId, $consumedType, $consumedResourceType, id, $consumedVersion, $schemaVersion,
       $environment, $consumedData, $at
     from ${cte}` as const
