import { count, type Queryable, row, rows, statement } from '../db/statement.ts'
import type { Tx } from '../db/transaction.ts'
import type { KeyKind } from './api-keys.ts'
import type { MerchantSettings } from './rules.ts'

/** A merchant account, without its secrets. */
export interface Merchant extends MerchantSettings {
  readonly id: string
}

/** A key as it may be listed. */
export interface ApiKey {
  readonly id: string
  readonly merchantId: string
  readonly kind: KeyKind
  readonly createdAt: Date
  readonly revokedAt: Date | null
}

/** A sealed webhook secret and the key that wraps it. */
export interface SealedSecret {
  readonly sealed: Buffer
  readonly keyId: string
}

const INSERT = statement<{ id: string }>(
  'merchants.insert',
  `insert into merchants
     (id, name, status, allowed_origins, network_profile, session_allowance,
      webhook_secret_sealed, webhook_secret_key_id, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (id) do nothing
   returning id`,
)

/** False when an account with this id exists: of two first starts at once, one inserts it. */
export async function insertMerchant(
  tx: Tx,
  merchant: Merchant,
  webhookSecret: SealedSecret,
  at: Date,
): Promise<boolean> {
  const { id, name, status, allowedOrigins, networkProfile, sessionAllowance } = merchant
  const settings = [id, name, status, allowedOrigins, networkProfile, sessionAllowance]
  return (await row(tx, INSERT, [...settings, webhookSecret.sealed, webhookSecret.keyId, at])) !== undefined
}

const COLUMNS = `id, name, status, allowed_origins as "allowedOrigins", network_profile as "networkProfile",
  session_allowance as "sessionAllowance"`
type MerchantRow = Omit<Merchant, 'sessionAllowance'> & { sessionAllowance: bigint | null }

function toMerchant(found: MerchantRow): Merchant {
  const { sessionAllowance } = found
  return { ...found, sessionAllowance: sessionAllowance === null ? null : Number(sessionAllowance) }
}

const FIND = statement<MerchantRow>('merchants.find', `select ${COLUMNS} from merchants where id = $1`)

export async function findMerchant(on: Queryable, merchantId: string): Promise<Merchant | undefined> {
  const found = await row(on, FIND, [merchantId])
  return found === undefined ? undefined : toMerchant(found)
}

const LIST = statement<MerchantRow>('merchants.list', `select ${COLUMNS} from merchants order by created_at, id`)

export async function listMerchants(on: Queryable): Promise<Merchant[]> {
  return (await rows(on, LIST)).map(toMerchant)
}

const UPDATE = statement<MerchantRow>(
  'merchants.update',
  `update merchants set
     name = coalesce($2, name),
     status = coalesce($3, status),
     allowed_origins = coalesce($4, allowed_origins),
     network_profile = case when $5::boolean then $6 else network_profile end,
     session_allowance = case when $7::boolean then $8 else session_allowance end
   where id = $1
   returning ${COLUMNS}`,
)

/** Changes only what is given, in one statement: two operators changing different settings both succeed. */
export async function updateMerchant(
  on: Queryable,
  merchantId: string,
  changes: Partial<MerchantSettings>,
): Promise<Merchant | undefined> {
  const { name = null, status = null, allowedOrigins = null, networkProfile, sessionAllowance } = changes
  const nullable = [networkProfile !== undefined, networkProfile, sessionAllowance !== undefined, sessionAllowance]
  const updated = await row(on, UPDATE, [merchantId, name, status, allowedOrigins, ...nullable])
  return updated === undefined ? undefined : toMerchant(updated)
}

const FIND_WEBHOOK_SECRET = statement<SealedSecret>(
  'merchants.find_webhook_secret',
  `select webhook_secret_sealed as sealed, webhook_secret_key_id as "keyId" from merchants where id = $1`,
)

export async function findWebhookSecret(on: Queryable, merchantId: string): Promise<SealedSecret | undefined> {
  return row(on, FIND_WEBHOOK_SECRET, [merchantId])
}

const INSERT_KEY = statement(
  'merchants.insert_key',
  'insert into api_keys (id, merchant_id, kind, key_hash, created_at) values ($1, $2, $3, $4, $5)',
)

export async function insertKey(
  tx: Queryable,
  merchantId: string,
  key: { readonly id: string; readonly kind: KeyKind; readonly hash: Buffer },
  at: Date,
): Promise<void> {
  await count(tx, INSERT_KEY, [key.id, merchantId, key.kind, key.hash, at])
}

/** What authentication compares. Crosses merchants by its nature: the key is what names the merchant. */
export interface KeyRow {
  readonly merchantId: string
  readonly kind: KeyKind
  readonly hash: Buffer
  readonly revoked: boolean
}

const FIND_KEY = statement<KeyRow>(
  'merchants.find_key',
  `select merchant_id as "merchantId", kind, key_hash as hash, revoked_at is not null as revoked
   from api_keys where id = $1`,
)

export async function findKey(on: Queryable, keyId: string): Promise<KeyRow | undefined> {
  return row(on, FIND_KEY, [keyId])
}

const KEY_COLUMNS = `id, merchant_id as "merchantId", kind, created_at as "createdAt", revoked_at as "revokedAt"`

const LIST_KEYS = statement<ApiKey>(
  'merchants.list_keys',
  `select ${KEY_COLUMNS} from api_keys where merchant_id = $1 order by created_at, id`,
)

export async function listKeys(on: Queryable, merchantId: string): Promise<ApiKey[]> {
  return rows(on, LIST_KEYS, [merchantId])
}

const REVOKE_KEY = statement<ApiKey>(
  'merchants.revoke_key',
  `update api_keys set revoked_at = coalesce(revoked_at, $2) where id = $1 returning ${KEY_COLUMNS}`,
)

/** Revoking again keeps the first time. */
export async function revokeKey(on: Queryable, keyId: string, at: Date): Promise<ApiKey | undefined> {
  return row(on, REVOKE_KEY, [keyId, at])
}

const REVOKE_KEYS = statement(
  'merchants.revoke_keys',
  'update api_keys set revoked_at = $2 where merchant_id = $1 and revoked_at is null',
)

/** Ends every live key of the merchant. */
export async function revokeKeys(tx: Tx, merchantId: string, at: Date): Promise<void> {
  await count(tx, REVOKE_KEYS, [merchantId, at])
}
