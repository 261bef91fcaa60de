import { bool, text, time } from '../db/row.ts'
import { one } from '../db/statement.ts'

/** An incident with its endpoint, as they stand in the caller's transaction. */
export const findIncident = one(
  'mail.find_incident',
  `select endpoint.name, endpoint.url, opened_at, endpoint.deleted_at is not null as is_deleted,
     endpoint.disabled_reason is not null as is_disabled, endpoint.verified_at is not null as is_verified
   from webhook_incidents join lateral (
     select * from webhook_endpoints where merchant_id = $merchantId and id = $endpointId offset 0) endpoint on true
   where webhook_incidents.merchant_id = $merchantId and webhook_incidents.id = $id`,
  { name: text, url: text, openedAt: time, isDeleted: bool, isDisabled: bool, isVerified: bool },
)
