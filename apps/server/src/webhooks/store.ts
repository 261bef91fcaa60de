import { DISABLED_REASONS, INCIDENT_REASONS } from '@mintmark/contract'
import { bool, bytes, columns, int, nullable, oneOf, type RowOf, text, texts, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'

const ENDPOINT = {
  id: text,
  name: text,
  url: text,
  events: texts,
  isAccount: bool,
  revision: int,
  enabled: bool,
  verifiedAt: nullable(time),
  disabledReason: nullable(oneOf(DISABLED_REASONS)),
  circuitUntil: nullable(time),
  seal: nullable(bytes),
  createdAt: time,
  updatedAt: time,
}
const INCIDENT = {
  incidentId: nullable(text),
  incidentReason: nullable(oneOf(INCIDENT_REASONS)),
  incidentOpenedAt: nullable(time),
}
const SECRETS = {
  secretSealed: nullable(bytes),
  secretKeyId: nullable(text),
  formerSecretSealed: nullable(bytes),
  formerSecretKeyId: nullable(text),
  formerSecretUntil: nullable(time),
}
const SHOWN = { ...ENDPOINT, ...INCIDENT }
const SENDABLE = { ...ENDPOINT, ...SECRETS }
/** An endpoint as its owner sees it. */
export type EndpointRow = RowOf<typeof SHOWN>
export type SealedSecrets = RowOf<typeof SECRETS>
/** An endpoint with its sealed secrets. Without one of its own it signs with that of the account. */
export type SendableRow = RowOf<typeof SENDABLE>

const SHOWN_FROM = `select ${columns(ENDPOINT, 'endpoint')}, ${columns(INCIDENT, 'incident')}
   from webhook_endpoints endpoint
   left join lateral (
     select id as incident_id, reason as incident_reason, opened_at as incident_opened_at from webhook_incidents
     where merchant_id = $merchantId and endpoint_id = endpoint.id and closed_at is null offset 0) incident on true
   where endpoint.merchant_id = $merchantId and endpoint.deleted_at is null` as const

export const listEndpoints = many(
  'webhooks.list_endpoints',
  `${SHOWN_FROM} order by endpoint.created_at, endpoint.id`,
  SHOWN,
)

export const findEndpoint = one('webhooks.find_endpoint', `${SHOWN_FROM} and endpoint.id = $endpointId`, SHOWN)

/** The endpoint of the account's `webhook_url`. */
export const findAccountEndpoint = one('webhooks.find_account_endpoint', `${SHOWN_FROM} and endpoint.is_account`, SHOWN)

export const findSendable = one(
  'webhooks.find_sendable',
  `select ${columns(SENDABLE)} from webhook_endpoints
   where merchant_id = $merchantId and id = $endpointId and deleted_at is null`,
  SENDABLE,
)

/** A place that no endpoint has. None: there are as many as there may be. */
export const findFreePlace = one(
  'webhooks.find_free_place',
  `select place::int as place from generate_series(1, $maxEndpoints::int) place
   where not exists (select 1 from webhook_endpoints
     where merchant_id = $merchantId and place = place.place and deleted_at is null)
   order by place limit 1`,
  { place: int },
)

/** One of several callers who found the same place free takes it, on whatever node. Zero rows: another caller did. */
export const insertEndpoint = execute(
  'webhooks.insert_endpoint',
  `insert into webhook_endpoints (merchant_id, id, place, name, url, events, is_account, revision, enabled, failures,
     secret_sealed, secret_key_id, seal, created_at, updated_at)
   values ($merchantId, $endpointId, $place, $name, $url, $events, $isAccount, $revision, $enabled, 0,
     $secretSealed::bytea, $secretKeyId, $seal, $at, $at)
   on conflict do nothing`,
)

/** For a change that depends on how it is, and seals how it will be. */
export const lockEndpoint = one(
  'webhooks.lock_to_change',
  `select ${columns(ENDPOINT)} from webhook_endpoints
   where merchant_id = $merchantId and id = $endpointId and deleted_at is null for update`,
  ENDPOINT,
)

/** Under `lockEndpoint`. `isNew`: nothing that was found out by sending holds any more. */
export const updateEndpoint = execute(
  'webhooks.update_endpoint',
  `update webhook_endpoints set
     name = coalesce($name::text, name),
     events = coalesce($events::text[], events),
     url = $url, revision = $revision, verified_at = $verifiedAt, disabled_reason = $disabledReason, enabled = $enabled,
     failures = case when $isNew::boolean then 0 else failures end,
     circuit_until = case when $isNew::boolean then null else circuit_until end,
     seal = $seal, updated_at = $at
   where merchant_id = $merchantId and id = $endpointId and deleted_at is null`,
)

/** Under `lockEndpoint`. */
export const updateVerified = execute(
  'webhooks.update_verified',
  `update webhook_endpoints set verified_at = $at, updated_at = $at, disabled_reason = null, enabled = $enabled, seal = $seal
   where merchant_id = $merchantId and id = $endpointId and deleted_at is null`,
)

/** Nothing is sent to it from then on. Its secrets are destroyed; what was sent stays in the history. */
export const updateDeleted = execute(
  'webhooks.update_deleted',
  `update webhook_endpoints set deleted_at = $at, updated_at = $at, enabled = false, revision = revision + 1,
     disabled_reason = null, circuit_until = null, secret_sealed = null, secret_key_id = null,
     former_secret_sealed = null, former_secret_key_id = null, former_secret_until = null, seal = null
   where merchant_id = $merchantId and id = $endpointId and deleted_at is null`,
)

/** Zero rows: the secret is another by now, or one before it still signs. */
export const updateSecret = execute(
  'webhooks.update_secret',
  `update webhook_endpoints set secret_sealed = $secretSealed::bytea, secret_key_id = $secretKeyId,
     former_secret_sealed = $formerSealed::bytea, former_secret_key_id = $formerKeyId, former_secret_until = $formerUntil,
     updated_at = $at
   where merchant_id = $merchantId and id = $endpointId and deleted_at is null
     and secret_sealed is not distinct from $before::bytea
     and (former_secret_until is null or former_secret_until <= $at)`,
)

/** A secret that signs no more is not kept. */
export const deleteFormerSecret = execute(
  'webhooks.delete_former_secret',
  `update webhook_endpoints set former_secret_sealed = null, former_secret_key_id = null, former_secret_until = null
   where merchant_id = $merchantId and id = $endpointId and former_secret_until <= $at`,
)
