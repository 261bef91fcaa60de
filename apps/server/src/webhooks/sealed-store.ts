import { bytes, int, text } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'

// The secrets of endpoints, for the rotation of key-encryption keys: the present ones, and those before a rotation.

const SEALED = { merchantId: text, id: text, sealed: bytes, keyId: text }

/** Operator's statement: secrets that one key wraps, in a fixed order. */
export const listSecretsUnderKey = many(
  'webhooks.list_secrets_under_key',
  `select merchant_id, id, secret_sealed as sealed, secret_key_id as key_id from webhook_endpoints
   where secret_key_id = $keyId and (merchant_id, id) > ($afterMerchantId, $afterId)
   order by secret_key_id, merchant_id, id limit $limit`,
  SEALED,
)

/** Operator's statement: how many secrets one key wraps, at most `limit`. */
export const countSecretsUnderKey = one(
  'webhooks.count_secrets_under_key',
  `select count(*)::int as count from (select 1 from webhook_endpoints where secret_key_id = $keyId limit $limit) counted`,
  { count: int },
)

/** The same secret, wrapped by another key. None: it was wrapped anew or replaced meanwhile. */
export const updateSecretWrap = execute(
  'webhooks.update_secret_wrap',
  `update webhook_endpoints set secret_sealed = $sealed, secret_key_id = $keyId
   where merchant_id = $merchantId and id = $endpointId and secret_sealed = $before`,
)

/** Operator's statement, as above. */
export const listFormerUnderKey = many(
  'webhooks.list_former_under_key',
  `select merchant_id, id, former_secret_sealed as sealed, former_secret_key_id as key_id from webhook_endpoints
   where former_secret_key_id = $keyId and (merchant_id, id) > ($afterMerchantId, $afterId)
   order by former_secret_key_id, merchant_id, id limit $limit`,
  SEALED,
)

/** Operator's statement, as above. */
export const countFormerUnderKey = one(
  'webhooks.count_former_under_key',
  `select count(*)::int as count from (
     select 1 from webhook_endpoints where former_secret_key_id = $keyId limit $limit) counted`,
  { count: int },
)

export const updateFormerWrap = execute(
  'webhooks.update_former_wrap',
  `update webhook_endpoints set former_secret_sealed = $sealed, former_secret_key_id = $keyId
   where merchant_id = $merchantId and id = $endpointId and former_secret_sealed = $before`,
)
