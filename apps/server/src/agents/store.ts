import type { JsonWebKey } from 'node:crypto'
import { AGENT_STATUSES, type AgentScope } from '@mintmark/contract/agents'
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { bigint, bool, bytes, columns, int, json, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { UNAWAITED } from '../db/unawaited.ts'
import { END_QUESTIONS } from '../escalations/fragments.ts'
import { originList } from '../platform/states.ts'
import { SPENT_NOW } from './fragments.ts'
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
export type StoredKey = RowOf<typeof KEY>

/**
 * The keys that a `keyid` may mean: that of a thumbprint, or the newest of an agent. Those that were changed are among them, so that one who signs
 * with such a key is told the same by every node: `authenticate` says whether it is good.
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
  limitsVersion: int,
  status: oneOf(AGENT_STATUSES),
  publishedAt: nullable(time),
  seal: bytes,
  /** What the seal of an agent that was made for one client covers beside. What a client may do stands in its grant. */
  clientId: nullable(text),
  scopes: nullable(json<AgentScope[]>()),
}
/** The version of its limits that the changes of them have led to. */
const VERSION_BY_CHANGES = `(select coalesce(max(version), 0) + 1 from agent_limit_changes
    where agent_limit_changes.merchant_id = $merchantId and agent_limit_changes.agent_id = agents.id) as version_by_changes` as const
const CHECKED = { ...AGENT, versionByChanges: int }
const AGENT_COLUMNS = `${columns(AGENT, 'agents')}, ${VERSION_BY_CHANGES}` as const

const AUTHENTICATED = { ...CHECKED, keyValidUntil: nullable(time), keySeal: bytes }

/**
 * The agent of a key that has signed a request, and whether the nonce is new, which is spent. None: the key is not good any more. What an
 * owner or the operator has ended since is seen here, by every node and every request. The disk is not waited for: whatever the request goes on to
 * change is committed behind its nonce, so a crash of the database that loses the nonce has lost that as well.
 */
export const authenticate = one(
  'agents.authenticate',
  `with known as materialized (
     select ${AGENT_COLUMNS}, agent_keys.valid_until as key_valid_until, agent_keys.seal as key_seal from agent_keys
     join agents on agents.merchant_id = $merchantId and agents.id = agent_keys.agent_id
     where agent_keys.merchant_id = $merchantId and agent_keys.thumbprint = $thumbprint
       and (agent_keys.valid_until is null or agent_keys.valid_until > $at)
   ), ${SPEND_NONCE}
   select ${columns(AUTHENTICATED, 'known')}, exists (select 1 from spent) and ${UNAWAITED} as is_fresh from known`,
  { ...AUTHENTICATED, isFresh: bool },
)

/** The agent that a link has become. */
export const findMade = one(
  'agents.find_made',
  `select ${AGENT_COLUMNS}, link_id, revoked_at from agents where merchant_id = $merchantId and id = $agentId`,
  { ...CHECKED, linkId: text, revokedAt: nullable(time) },
)

/** A key that is good for as long as the agent. It is never taken away, only changed for another one. */
const HAS_KEY = `exists (select 1 from agent_keys
    where agent_keys.merchant_id = $merchantId and agent_keys.agent_id = agents.id and valid_until is null offset 0) as has_key` as const

const GRANT = { grantedTo: text, grantedScopes: json<AgentScope[]>(), grantSeal: bytes, hasKey: bool, isMadeFor: bool }

/** An agent, as whom a client acts that an owner has let in by this link. */
export const findGrant = one(
  'agents.find_grant',
  `select ${AGENT_COLUMNS}, granted.client_id as granted_to, granted.scopes as granted_scopes, granted.grant_seal,
     ${HAS_KEY}, agents.link_id = granted.id as is_made_for
   from agents join lateral (
     select id, client_id, scopes, grant_seal from agent_links
     where merchant_id = $merchantId and id = $linkId and agent_id = $agentId and client_id is not null
       and grant_seal is not null and status = 'approved' offset 0) granted on true
   where agents.merchant_id = $merchantId and agents.id = $agentId`,
  { ...CHECKED, ...GRANT },
)

const JOINABLE = { ...CHECKED, createdAt: time, hasKey: bool, lastGrantedAt: nullable(time) }
export type JoinableAgent = RowOf<typeof JOINABLE>

/** Active agents of one owner, newest first, each with when this client was last let in as it. `$clientId` null: no client asks. */
export const listJoinable = many(
  'agents.list_joinable',
  `select ${AGENT_COLUMNS}, created_at, ${HAS_KEY}, (
     select max(decided_at) from agent_links
     where agent_links.merchant_id = $merchantId and agent_links.agent_id = agents.id and status = 'approved'
       and agent_links.client_id = $clientId::text) as last_granted_at
   from agents
   where merchant_id = $merchantId and customer_id = $customerId and agents.status = 'active' order by id desc limit $limit`,
  JOINABLE,
)

export const spendNonce = one('agents.spend_nonce', `with ${SPEND_NONCE} select slot from spent`, { slot: int })

/** None: it is not as it was read. */
export const updateAgent = one(
  'agents.update',
  `update agents set name = $name, description = $description, version = version + 1, updated_at = $at
   where merchant_id = $merchantId and id = $agentId and status = 'active'
   returning ${columns(AGENT, 'agents')}`,
  AGENT,
)

const OWNED = {
  ...CHECKED,
  version: int,
  linkId: text,
  createdAt: time,
  revokedAt: nullable(time),
  hasKey: bool,
  isPublished: bool,
  ...{ openCount: int, todayMinor: bigint, thisMonthMinor: bigint },
}
export type OwnedAgent = RowOf<typeof OWNED>
const OWNED_COLUMNS =
  `${AGENT_COLUMNS}, agents.version, agents.link_id, agents.created_at, agents.revoked_at, ${HAS_KEY},
  agents.published_at is not null as is_published, ${SPENT_NOW}` as const
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

/** What of an agent says that it has ended. Without a seal it is not made active again by an edit: see `checkAgent`. */
const END = "status = 'revoked', revoked_at = $at, seal = '', version = version + 1, updated_at = $at" as const

/** Ends an agent, and what it asks its owner with it; `$ownerId`: only one of theirs. None: it has ended, or there is none. */
export const updateRevoked = one(
  'agents.revoke',
  `with revoked as (
     update agents set ${END}
     where merchant_id = $merchantId and id = $agentId and status in (${originList(AGENT_TRANSITIONS, 'revoked')})
       and ($ownerId::text is null or customer_id = $ownerId)
     returning id
   ), ${END_QUESTIONS}
   select id from revoked`,
  { id: text },
)

/** The same of all that an owner has, who is forgotten. Returns those that were active. */
export const updateRevokedOfOwner = many(
  'agents.revoke_of_owner',
  `with revoked as (
     update agents set ${END}
     where merchant_id = $merchantId and customer_id = $customerId and status in (${originList(AGENT_TRANSITIONS, 'revoked')})
     returning id
   ), ${END_QUESTIONS}
   select id from revoked`,
  { id: text },
)

/**
 * Takes what agents of an owner have said of themselves from their rows, with the links in which they have said it, and from the directory.
 * What is sealed stays: they may still report what they have charged.
 */
export const updateUnnamed = many(
  'agents.unname',
  `with unnamed as (
     update agents set name = 'erased', platform = null, description = null, published_at = null, published_name = null,
       published_seal = null, version = version + 1, updated_at = $at
     where merchant_id = $merchantId and customer_id = $customerId
     returning id
   ), unlinked as (
     delete from agent_links where merchant_id = $merchantId and agent_id = any (array(select id from unnamed))
   )
   select id from unnamed`,
  { id: text },
)

/** Keys of an agent that are good after `$until`. */
export const listKeysBeyond = many(
  'agents.list_keys_beyond',
  `select ${KEY_COLUMNS} from agent_keys
   where merchant_id = $merchantId and agent_id = $agentId and (valid_until is null or valid_until > $until)`,
  KEY,
)

/**
 * A new key in place of the one that has signed, which goes on until `$oldValidUntil`; those before it that would be good for longer end with it,
 * each with the seal of that. A change that has read them before another one finds that the old key is not good any more. None: that, or the
 * new key is linked already, or the agent has ended.
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
     update agent_keys set valid_until = $oldValidUntil, seal = given.seal
     from unnest($endedKeys::text[], $endedSeals::bytea[]) given (thumbprint, seal)
     where merchant_id = $merchantId and agent_id = $agentId and agent_keys.thumbprint = given.thumbprint
       and exists (select 1 from made)
   )
   select thumbprint from made`,
  { thumbprint: text },
)

const LISTED = {
  ...{ id: text, customerId: text, name: text, status: oneOf(AGENT_STATUSES) },
  ...{ createdAt: time, publishedAt: nullable(time) },
}

/** Keeps an agent from being revoked until the transaction ends. None: it was. */
export const lockActive = one(
  'agents.lock_active',
  `select id from agents where merchant_id = $merchantId and id = $agentId and status = 'active' for share`,
  { id: text },
)

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
