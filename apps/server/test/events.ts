const COLUMNS = `merchant_id, id, type, resource_type, resource_id, resource_version, schema_version, environment, data,
  occurred_at`

/** For `from`: every event that was captured, with a number or not yet. */
export const EVENTS = `(select ${COLUMNS} from captured_events union all select ${COLUMNS} from events)`
