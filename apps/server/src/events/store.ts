import { execute } from '../db/statement.ts'

/** Exists if and only if the transaction commits. The unique version refuses a second event for one change. */
export const insertEvent = execute(
  'events.insert',
  `insert into events (merchant_id, id, type, resource_type, resource_id, resource_version, schema_version, environment,
     data, occurred_at)
   values ($merchantId, $eventId, $eventType, $resourceType, $resourceId, $resourceVersion, $schemaVersion,
     $environment, $eventData, $at)`,
)
