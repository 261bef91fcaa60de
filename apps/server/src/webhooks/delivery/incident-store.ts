import { INCIDENT_REASONS } from '@mintmark/contract'
import { oneOf, text, time } from '../../db/row.ts'
import { execute, one } from '../../db/statement.ts'

const INCIDENT = { id: text, reason: oneOf(INCIDENT_REASONS), openedAt: time }

/** Called under the lock of the endpoint, so that it is still true when the next one is inserted. */
export const findOpenIncident = one(
  'webhooks.find_open_incident',
  `select id, reason, opened_at from webhook_incidents
   where merchant_id = $merchantId and endpoint_id = $endpointId and closed_at is null`,
  INCIDENT,
)

/** The unique index refuses a second open one of an endpoint. */
export const insertIncident = execute(
  'webhooks.insert_incident',
  `insert into webhook_incidents (merchant_id, id, endpoint_id, reason, opened_at)
   values ($merchantId, $id, $endpointId, $reason, $at)`,
)

export const updateIncidentClosed = one(
  'webhooks.update_incident_closed',
  `update webhook_incidents set closed_at = $at
   where merchant_id = $merchantId and endpoint_id = $endpointId and closed_at is null
   returning id, reason, opened_at`,
  INCIDENT,
)

/** The same, unless the endpoint rests or is disabled: an incident is open exactly as long. */
export const updateIncidentOver = one(
  'webhooks.update_incident_over',
  `update webhook_incidents set closed_at = $at
   where merchant_id = $merchantId and endpoint_id = $endpointId and closed_at is null and not exists (
     select 1 from webhook_endpoints where merchant_id = $merchantId and id = $endpointId
       and (disabled_reason is not null or circuit_until is not null))
   returning id, reason, opened_at`,
  INCIDENT,
)

/** How people know an endpoint. */
export const findNamed = one(
  'webhooks.find_named',
  'select id, name, url from webhook_endpoints where merchant_id = $merchantId and id = $endpointId',
  { id: text, name: text, url: text },
)
