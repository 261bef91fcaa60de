import { bool } from '../db/row.ts'
import { one } from '../db/statement.ts'

/** How the endpoint of an incident stands in the caller's transaction. */
export const findEndpoint = one(
  'mail.find_endpoint',
  `select deleted_at is not null as is_deleted, disabled_reason is not null as is_disabled,
     verified_at is not null as is_verified
   from webhook_endpoints where merchant_id = $merchantId and id = $endpointId`,
  { isDeleted: bool, isDisabled: bool, isVerified: bool },
)
