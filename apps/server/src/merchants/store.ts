import { API_KEY_KINDS, API_KEY_ROLES, MERCHANT_STATUSES } from '@mintmark/contract'
import { bigint, bool, bytes, columns, int, nullable, oneOf, type RowOf, text, texts, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'

const ACCOUNT = {
  id: text,
  name: text,
  status: oneOf(MERCHANT_STATUSES),
  allowedOrigins: texts,
  originsSeal: nullable(bytes),
  networkProfile: nullable(text),
  /** Which cards it accepts; null: any. */
  cardCountries: nullable(texts),
  cardIssuers: nullable(texts),
}
const MERCHANT = { ...ACCOUNT, sessionAllowance: nullable(bigint) }
export type MerchantRow = RowOf<typeof MERCHANT>

/** No row of an allowance: unlimited. */
const MERCHANT_COLUMNS = `${columns(ACCOUNT, 'merchants')}, session_allowances.remaining as session_allowance`

/** Zero rows when an account with this id exists: where several first starts run at the same time, one inserts it. */
export const insertMerchant = execute(
  'merchants.insert',
  `insert into merchants (id, name, status, allowed_origins, origins_seal, network_profile, webhook_secret_sealed,
     webhook_secret_key_id, created_at)
   values ($id, $name, $status, $allowedOrigins, $originsSeal, $networkProfile, $webhookSecretSealed, $webhookSecretKeyId, $at)
   on conflict (id) do nothing`,
)

export const findMerchant = one(
  'merchants.find',
  `select ${MERCHANT_COLUMNS} from merchants
     left join session_allowances on session_allowances.merchant_id = $merchantId
   where merchants.id = $merchantId`,
  MERCHANT,
)

/** Operator's statement. */
export const listMerchants = many(
  'merchants.list',
  `select ${MERCHANT_COLUMNS} from merchants
     left join session_allowances on session_allowances.merchant_id = merchants.id
   order by merchants.created_at, merchants.id`,
  MERCHANT,
)

/** Ids of active accounts, in their order. */
export const listActiveIds = many(
  'merchants.list_active_ids',
  `select id from merchants where status = 'active' and id > $after order by id limit $limit`,
  { id: text },
)

export const findStatus = one('merchants.find_status', 'select status from merchants where id = $merchantId', {
  status: oneOf(MERCHANT_STATUSES),
})

/**
 * Changes only what is given (null: not given; a profile, which may become null, has a flag of its own), in one
 * statement: two operators changing different settings both succeed. Zero rows: no such account.
 */
export const updateMerchant = execute(
  'merchants.update',
  `update merchants set
     name = coalesce($name, name),
     status = coalesce($status, status),
     allowed_origins = coalesce($allowedOrigins, allowed_origins),
     origins_seal = coalesce($originsSeal::bytea, origins_seal),
     network_profile = case when $changesProfile::boolean then $networkProfile else network_profile end
   where id = $merchantId`,
)

/** Zero rows: no such account. */
export const updateCardRules = execute(
  'merchants.update_card_rules',
  `update merchants set card_countries = $countries::text[], card_issuers = $issuers::text[] where id = $merchantId`,
)

export const upsertAllowance = execute(
  'merchants.upsert_allowance',
  `insert into session_allowances (merchant_id, remaining) values ($merchantId, $remaining)
   on conflict (merchant_id) do update set remaining = excluded.remaining`,
)

/** Makes the allowance unlimited. */
export const deleteAllowance = execute(
  'merchants.delete_allowance',
  'delete from session_allowances where merchant_id = $merchantId',
)

export const findWebhookSecret = one(
  'merchants.find_webhook_secret',
  'select webhook_secret_sealed as sealed, webhook_secret_key_id as key_id from merchants where id = $merchantId',
  { sealed: bytes, keyId: text },
)

/** Operator's statement: secrets that one key wraps, in a fixed order. */
export const listSecretsUnderKey = many(
  'merchants.list_secrets_under_key',
  `select id as merchant_id, id, webhook_secret_sealed as sealed, webhook_secret_key_id as key_id from merchants
   where webhook_secret_key_id = $keyId and id > $after order by webhook_secret_key_id, id limit $limit`,
  { merchantId: text, id: text, sealed: bytes, keyId: text },
)

/** Operator's statement: how many secrets one key wraps, at most `limit`. */
export const countSecretsUnderKey = one(
  'merchants.count_secrets_under_key',
  `select count(*)::int as count from (select 1 from merchants where webhook_secret_key_id = $keyId limit $limit) counted`,
  { count: int },
)

/** The same secret, wrapped by another key, or the next one. None: it was wrapped anew or replaced meanwhile. */
export const updateSecretWrap = execute(
  'merchants.update_secret_wrap',
  `update merchants set webhook_secret_sealed = $sealed, webhook_secret_key_id = $keyId
   where id = $merchantId and webhook_secret_sealed = $before`,
)

export const insertKey = execute(
  'merchants.insert_key',
  `insert into api_keys (id, merchant_id, kind, role, key_hash, seal, created_at)
   values ($id, $merchantId, $kind, $role, $keyHash, $seal, $at)`,
)

/** What authentication compares. Crosses merchants by its nature: the key is what names the merchant. */
export const findKey = one(
  'merchants.find_key',
  'select merchant_id, kind, role, key_hash, seal, revoked_at is not null as revoked from api_keys where id = $keyId',
  {
    merchantId: text,
    kind: oneOf(API_KEY_KINDS),
    role: oneOf(API_KEY_ROLES),
    keyHash: bytes,
    seal: bytes,
    revoked: bool,
  },
)

/** A few of the active accounts that allow a page to call from an origin that is written like one of these. Operator's statement. */
export const listWithOrigin = many(
  'merchants.list_with_origin',
  `select id as merchant_id, allowed_origins, origins_seal from merchants
   where status = 'active' and allowed_origins && $patterns limit $limit`,
  { merchantId: text, allowedOrigins: texts, originsSeal: nullable(bytes) },
)

const KEY = {
  id: text,
  merchantId: text,
  kind: oneOf(API_KEY_KINDS),
  role: oneOf(API_KEY_ROLES),
  createdAt: time,
  revokedAt: nullable(time),
  /** To within some minutes; null: not since this is kept. */
  lastUsedAt: nullable(time),
}
/** A key as it may be listed. */
export type ApiKey = RowOf<typeof KEY>

export const listKeys = many(
  'merchants.list_keys',
  `select ${columns(KEY)} from api_keys where merchant_id = $merchantId order by created_at, id`,
  KEY,
)

/**
 * Which keys were let in, and when. Where several processes write, the latest use stays. Crosses merchants, as the look at a key does.
 * The rows are locked in one order first.
 */
export const updateKeysUsed = execute(
  'merchants.update_keys_used',
  `with used as materialized (
     select id, given.at from api_keys join unnest($keyIds::text[], $times::timestamptz[]) given (key_id, at) on given.key_id = id
     where last_used_at is null or last_used_at < given.at order by id for no key update of api_keys
   )
   update api_keys set last_used_at = used.at from used where api_keys.id = used.id`,
)

/** Revoking again keeps the first time. */
export const updateKeyRevoked = one(
  'merchants.update_key_revoked',
  `update api_keys set revoked_at = coalesce(revoked_at, $at) where id = $keyId returning ${columns(KEY)}`,
  KEY,
)
