import type { JsonWebKey } from 'node:crypto'
import { AGENT_STATUSES, type AgentScope } from '@mintmark/contract/agents'
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { bigint, bool, bytes, columns, int, json, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { UNAWAITED } from '../db/unawaited.ts'
import { END_QUESTIONS } from '../escalations/fragments.ts'
import { canonicalJson, type JsonValue } from '../platform/canonical-json.ts'
import { type SealedRow, sealOver } from '../platform/row-seals.ts'
import { originList } from '../platform/states.ts'
import { noteAct } from '../receipts/fragments.ts'
import { COUNT_SPENDING, SPENT_NOW } from './fragments.ts'
import { SPEND_NONCE } from './nonces.ts'
import { AGENT_TRANSITIONS } from './states.ts'

const KEYS = {
  thumbprint: text,
  publicKey: bytes,
  encryptionKey: nullable(bytes),
  mandateKey: nullable(json<JsonWebKey>()),
}

export const KEY = { ...KEYS, agentId: text, validUntil: nullable(time), seal: bytes }
const KEY_COLUMNS = columns(KEY, 'agent_keys')

type Keys = Omit<RowOf<typeof KEYS>, 'thumbprint'>

/** What a seal is over of keys: of an agent's, and of those that it asked to link. */
export const keyParts = ({ publicKey, encryptionKey, mandateKey }: Keys) => [
  publicKey,
  encryptionKey,
  mandateKey === null ? null : canonicalJson(mandateKey as JsonValue),
]

interface KeyOfAgent extends Keys {
  merchantId: string
  agentId: string
  thumbprint: string
}
const keyOver = sealOver<KeyOfAgent>('agent_keys', (key) => [key.agentId, key.thumbprint, ...keyParts(key)])

/** The agent of a key. */
export const sealedKey = (key: KeyOfAgent): SealedRow => keyOver({ ...key, id: key.thumbprint })

interface Allowed {
  customerId: string
  limits: JsonValue
  /** An agent without a key has none. */
  client?: { clientId: string; scopes: readonly AgentScope[] } | null
}

/** The owner of an agent, and what it may do. What it calls itself is its own to change. */
export const sealedAgent = sealOver<Allowed>('agents', ({ customerId, limits, client }) => {
  const ofClient = client ? [client.clientId, client.scopes.join(' ')] : []
  return [customerId, canonicalJson(limits), ...ofClient]
})

/** That its owner has published an agent. */
export const sealedPublication = sealOver<{ publishedAt: Date }>('agents', ({ publishedAt }) => [
  ...['published', publishedAt.getTime()],
])

/**
 * The keys that a `keyid` may mean: that of a thumbprint, or the newest of an agent. Those that were changed are among
 * them, so that one who signs with such a key is told the same by every node: `authenticate` says whether it is good.
 */
export const listKeys = many(
  'agents.list_keys',
  `select ${KEY_COLUMNS} from agent_keys where merchant_id = $merchantId and thumbprint = $keyId
   union all
   (select ${KEY_COLUMNS} from agent_keys
   where merchant_id = $merchantId and agent_id = $keyId order by created_at desc limit 8)`,
  KEY,
)

export const AGENT = {
  id: text,
  customerId: text,
  name: text,
  platform: nullable(text),
  description: nullable(text),
  limits: json<AgentLimits>(),
  status: oneOf(AGENT_STATUSES),
  publishedAt: nullable(time),
  seal: bytes,
}
const AGENT_COLUMNS = columns(AGENT, 'agents')

/**
 * The agent of a key that has signed a request, and whether the nonce is new, which is spent. None: the key is not good
 * any more. What an owner or the operator has ended since is seen here, by every node and every request. The disk is
 * not waited for: whatever the request goes on to change is committed behind its nonce, so a crash of the database that
 * loses the nonce has lost that as well.
 */
export const authenticate = one(
  'agents.authenticate',
  `with known as materialized (
     select ${AGENT_COLUMNS} from agent_keys
     join agents on agents.merchant_id = $merchantId and agents.id = agent_keys.agent_id
     where agent_keys.merchant_id = $merchantId and agent_keys.thumbprint = $thumbprint
       and (agent_keys.valid_until is null or agent_keys.valid_until > $at)
   ), ${SPEND_NONCE}
   select ${columns(AGENT, 'known')}, exists (select 1 from spent) and ${UNAWAITED} as is_fresh from known`,
  { ...AGENT, isFresh: bool },
)

const CLIENT_AGENT = { ...AGENT, clientId: text, scopes: json<AgentScope[]>() }

/** An agent without a key. */
export const findClientAgent = one(
  'agents.find_client',
  `select ${columns(CLIENT_AGENT)} from agents where merchant_id = $merchantId and id = $agentId and client_id is not null`,
  CLIENT_AGENT,
)

export const spendNonce = one('agents.spend_nonce', `with ${SPEND_NONCE} select slot from spent`, { slot: int })

export const findTaken = one(
  'agents.find_taken',
  `with ${COUNT_SPENDING} select open_count, today_minor, this_month_minor from counted`,
  { openCount: int, todayMinor: bigint, thisMonthMinor: bigint },
)

/** None: it is not as it was read. */
export const updateAgent = one(
  'agents.update',
  `update agents set name = $name, description = $description, version = version + 1, updated_at = $at
   where merchant_id = $merchantId and id = $agentId and status = 'active'
   returning ${AGENT_COLUMNS}`,
  AGENT,
)

/** Null of an agent with a key. */
const CLIENT = { clientId: nullable(text), scopes: nullable(json<AgentScope[]>()) }

const OWNED = {
  ...AGENT,
  ...CLIENT,
  createdAt: time,
  revokedAt: nullable(time),
  limitsVersion: int,
  isPublished: bool,
  ...{ openCount: int, todayMinor: bigint, thisMonthMinor: bigint },
}
export type OwnedAgent = RowOf<typeof OWNED>
const OWNED_COLUMNS = `${columns({ ...AGENT, ...CLIENT }, 'agents')}, agents.created_at,
  agents.revoked_at, agents.limits_version, agents.published_at is not null as is_published, ${SPENT_NOW}` as const
const JOIN_SPENDING =
  'join agent_spending on agent_spending.merchant_id = $merchantId and agent_spending.agent_id = agents.id' as const

/** Agents of one owner, newest first, with what each has taken of its limits. */
export const listOwned = many(
  'agents.list_owned',
  `select ${OWNED_COLUMNS} from agents ${JOIN_SPENDING}
   where agents.merchant_id = $merchantId and agents.customer_id = $customerId order by agents.id desc limit $limit`,
  OWNED,
)

export const findOwned = one(
  'agents.find_owned',
  `select ${OWNED_COLUMNS} from agents ${JOIN_SPENDING}
   where agents.merchant_id = $merchantId and agents.id = $agentId and agents.customer_id = $customerId`,
  OWNED,
)

/**
 * Ends an agent, and what it asks its owner with it; `$ownerId`: only one of theirs. None: it has ended, or there is
 * none.
 */
export const updateRevoked = one(
  'agents.revoke',
  `with revoked as (
     update agents set status = 'revoked', revoked_at = $at, version = version + 1, updated_at = $at
     where merchant_id = $merchantId and id = $agentId and status in (${originList(AGENT_TRANSITIONS, 'revoked')})
       and ($ownerId::text is null or customer_id = $ownerId)
     returning id, customer_id
   ), ${END_QUESTIONS}, ${noteAct('agent_revoked', 'id', 'customer_id', 'revoked')}
   select id from revoked`,
  { id: text },
)

/** The same of all that an owner has, who is forgotten. Returns those that were active. */
export const updateRevokedOfOwner = many(
  'agents.revoke_of_owner',
  `with revoked as (
     update agents set status = 'revoked', revoked_at = $at, version = version + 1, updated_at = $at
     where merchant_id = $merchantId and customer_id = $customerId and status in (${originList(AGENT_TRANSITIONS, 'revoked')})
     returning id
   ), ${END_QUESTIONS}
   select id from revoked`,
  { id: text },
)

/**
 * Takes what agents of an owner have said of themselves from their rows, with the links in which they have said it, and
 * from the directory. What is sealed stays: they may still report what they have charged.
 */
export const updateUnnamed = many(
  'agents.unname',
  `with unnamed as (
     update agents set name = 'erased', platform = null, description = null, published_at = null, published_seal = null,
       version = version + 1, updated_at = $at
     where merchant_id = $merchantId and customer_id = $customerId
     returning id, link_id
   ), unlinked as (
     delete from agent_links where merchant_id = $merchantId and id = any (array(select link_id from unnamed))
   )
   select id from unnamed`,
  { id: text },
)

/**
 * A new key in place of the one that has signed, which goes on until `$oldValidUntil`; those before it end with it.
 * None: the key is linked already, the old one is not good any more, or the agent has ended.
 */
export const changeKey = one(
  'agents.change_key',
  `with agent as materialized (
     select id from agents where merchant_id = $merchantId and id = $agentId and status = 'active' for no key update
   ), old as materialized (
     select thumbprint from agent_keys
     where merchant_id = $merchantId and thumbprint = $oldThumbprint and valid_until is null
       and agent_id = (select id from agent)
     for no key update
   ), made as (
     insert into agent_keys (merchant_id, thumbprint, agent_id, public_key, encryption_key, mandate_key, created_at, seal)
     select $merchantId, $thumbprint, $agentId, $publicKey, $encryptionKey, $mandateKey::jsonb, $at, $seal from old
     on conflict do nothing
     returning thumbprint
   ), ended as (
     update agent_keys set valid_until = least(valid_until, $oldValidUntil)
     where merchant_id = $merchantId and agent_id = $agentId and thumbprint <> $thumbprint
       and (valid_until is null or valid_until > $oldValidUntil) and exists (select 1 from made)
   )
   select thumbprint from made`,
  { thumbprint: text },
)

const LISTED = {
  ...{ id: text, customerId: text, name: text, status: oneOf(AGENT_STATUSES) },
  ...{ createdAt: time, publishedAt: nullable(time) },
}

/** Agents after `$after`, in the order of their ids. */
export const listAgents = many(
  'agents.list',
  `select ${columns(LISTED)} from agents where merchant_id = $merchantId and id > $after order by id limit $limit`,
  LISTED,
)

export const deleteUndecided = execute(
  'agents.delete_undecided_links',
  `delete from agent_links where merchant_id = $merchantId and id = any (array(
     select id from agent_links
     where merchant_id = $merchantId and status <> 'approved' and expires_at <= $endedBefore order by expires_at limit $limit))`,
)
