// A part of statements that change something and capture it in one round trip.

/** The end of such a statement: the event, if the CTE `changed` has a row. */
export const INSERT_EVENT = `insert into events (merchant_id, id, type, resource_type, resource_id, resource_version,
     schema_version, environment, data, occurred_at)
   select $merchantId, $eventId, $eventType, $resourceType, $resourceId, $resourceVersion, $schemaVersion, $environment,
     $eventData, $at
   from changed
   returning resource_id`
