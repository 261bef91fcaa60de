import type { JsonWebKey } from 'node:crypto'
import type { AgentScope } from '@mintmark/contract/agents'
import { KEEP_EVIDENCE, NOT_APPROVED } from '../approvals/fragments.ts'
import { insertNamed, OR_KNOWN_NAME } from '../customers/fragments.ts'
import { bool, bytes, columns, json, nullable, object, oneOf, type RowOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import {
  CLAIM_CHALLENGE,
  CLAIMED,
  CLAIMED_CHALLENGE,
  lockSigning,
  ownPasskey,
  PASSKEY,
  STORE_PASSKEY,
  USE_PASSKEY,
} from '../passkeys/fragments.ts'
import { originList } from '../platform/states.ts'
import { SPEND_NONCE } from './nonces.ts'
import { AGENT_LINK_TRANSITIONS, STORED_LINK_STATUSES } from './states.ts'

const LINK = {
  id: text,
  thumbprint: nullable(text),
  publicKey: nullable(bytes),
  encryptionKey: nullable(bytes),
  mandateKey: nullable(json<JsonWebKey>()),
  clientId: nullable(text),
  clientHost: nullable(text),
  redirectHost: nullable(text),
  scopes: nullable(json<AgentScope[]>()),
  name: text,
  platform: nullable(text),
  description: nullable(text),
  status: oneOf(STORED_LINK_STATUSES),
  agentId: nullable(text),
  expiresAt: time,
  seal: bytes,
}

/** A link of a key that no agent has or had, if the nonce of its request is new. `made`: neither stood in the way. */
export const insertLink = one(
  'agents.insert_link',
  `with ${SPEND_NONCE}, linked as (
     select thumbprint from agent_keys where merchant_id = $merchantId and thumbprint = $thumbprint
   ), made as (
     insert into agent_links (merchant_id, id, thumbprint, public_key, encryption_key, mandate_key, name, platform, description,
       created_at, expires_at, seal)
     select $merchantId, $linkId, $thumbprint, $publicKey::bytea, $encryptionKey::bytea, $mandateKey::jsonb, $name, $platform,
       $description, $at::timestamptz, $expiresAt::timestamptz, $seal::bytea
     from spent where not exists (select 1 from linked)
     returning id
   )
   select exists (select 1 from spent) as is_fresh, exists (select 1 from made) as made`,
  { isFresh: bool, made: bool },
)

/** A link of a client, whose name whoever asks for it has chosen: none if it is asked for already. */
export const insertClientLink = execute(
  'agents.insert_client_link',
  `insert into agent_links (merchant_id, id, client_id, client_host, redirect_host, scopes, name, created_at, expires_at, seal)
   values ($merchantId, $linkId, $clientId, $clientHost, $redirectHost, $scopes::jsonb, $name, $at, $expiresAt, $seal)
   on conflict do nothing`,
)

const FOUND_LINK = {
  ...LINK,
  /** An agent has its key, or had it: by another link, so nothing comes of one that still waits. */
  keyLinked: bool,
}

export const findLink = one(
  'agents.find_link',
  `select ${columns(LINK)}, exists (
     select 1 from agent_keys where merchant_id = $merchantId and thumbprint = agent_links.thumbprint) as key_linked
   from agent_links where merchant_id = $merchantId and id = $linkId`,
  FOUND_LINK,
)

export type AgentLink = RowOf<typeof FOUND_LINK>
export type StoredLink = RowOf<typeof LINK>

/** Links by their ids. */
export const listLinks = many(
  'agents.list_links',
  `select ${columns(LINK)} from agent_links where merchant_id = $merchantId and id = any ($linkIds::text[])`,
  LINK,
)

/** The links by which the agents of an owner were linked: those that `listOwned` lists. */
export const listLinksOfOwner = many(
  'agents.list_links_of_owner',
  `select ${columns(LINK, 'agent_links')} from agents
   join agent_links on agent_links.merchant_id = $merchantId and agent_links.id = agents.link_id
   where agents.merchant_id = $merchantId and agents.customer_id = $customerId order by agents.id desc limit $limit`,
  LINK,
)

/** None: it was decided meanwhile, or its time is over. */
export const updateDenied = one(
  'agents.deny_link',
  `update agent_links set status = 'denied', decided_at = $at
   where merchant_id = $merchantId and id = $linkId and expires_at > $at
     and status in (${originList(AGENT_LINK_TRANSITIONS, 'denied')})
   returning id`,
  { id: text },
)

/** The index that refuses a second agent of one key, of two links approved at the same moment. */
export const ONE_LINK_CONSTRAINT = 'agent_keys_pkey'

/** The owner of this name, made if there is none. */
export const upsertOwner = one(
  'agents.upsert_owner',
  `${insertNamed('$newCustomerId', '$name')}
   ${OR_KNOWN_NAME}
   returning id`,
  { id: text },
)

const WITH_PASSKEY = { passkey: nullable(object(PASSKEY)) }

export const findPasskey = one('agents.find_passkey', `select (${ownPasskey('$customerId')}) as passkey`, WITH_PASSKEY)

/** The challenge that an answer uses up, and whose passkey may answer. One row. */
export const claimChallenge = one(
  'agents.claim_challenge',
  `with ${CLAIM_CHALLENGE} select (${CLAIMED}) as claimed, (${ownPasskey('$customerId')}) as passkey`,
  { claimed: CLAIMED_CHALLENGE, ...WITH_PASSKEY },
)

/**
 * The first passkey of an owner, which is how they begin: there is nothing yet that it could spend. None: they have one, or a card.
 */
export const storeFirstPasskey = one(
  'agents.store_first_passkey',
  `with admitted as (
     select false as may_replace
     where not exists (select 1 from cards where merchant_id = $merchantId and customer_id = $customerId and status <> 'deleted')
   ), ${STORE_PASSKEY} select replaces from stored`,
  { replaces: nullable(text) },
)

/** The link as it was signed, while it may be approved. */
const LOCK_AWAITING =
  `select id, thumbprint, public_key, encryption_key, mandate_key, name, platform, description from agent_links
     where merchant_id = $merchantId and id = $linkId and status = 'pending' and expires_at > $at and seal = $linkSeal
       and not exists (select 1 from agent_keys where merchant_id = $merchantId and thumbprint = agent_links.thumbprint)
     for no key update` as const

/** CTE `keyed`, and the link itself: the agent has the key that has asked, or the client acts as it. */
const KEYED = `keyed as (
     insert into agent_keys (merchant_id, thumbprint, agent_id, public_key, encryption_key, mandate_key, created_at, seal)
     select $merchantId, thumbprint, $agentId, public_key, encryption_key, mandate_key, $at, $keySeal::bytea from agreed
     where thumbprint is not null
   )` as const
const APPROVED =
  `update agent_links set status = 'approved', agent_id = $agentId, decided_at = $at, grant_seal = $grantSeal::bytea
   where merchant_id = $merchantId and id = (select id from agreed) and status in (${originList(AGENT_LINK_TRANSITIONS, 'approved')})
   returning agent_id` as const

/**
 * An owner's approval of a link has one winner of any number: the first, in time, for the link as it was signed and a key that is linked
 * nowhere. Agent, key and evidence are made with it. Locks: link, passkey. None: it was decided meanwhile, is over, or the key is linked.
 */
export const approveLink = one(
  'agents.approve_link',
  `with awaiting as materialized (
     ${LOCK_AWAITING}
   ), ${lockSigning('exists (select 1 from awaiting)')}, agreed as materialized (
     select awaiting.* from awaiting, signing where ${NOT_APPROVED}
   ), ${USE_PASSKEY}, ${KEEP_EVIDENCE}, made as (
     insert into agents (merchant_id, id, customer_id, link_id, name, platform, description, limits, created_at, updated_at, seal)
     select $merchantId, $agentId, $customerId, id, name, platform, description, $limits::jsonb, $at, $at, $agentSeal::bytea from agreed
   ), limited as (
     insert into agent_spending (merchant_id, agent_id) select $merchantId, $agentId from agreed
   ), ${KEYED}
   ${APPROVED}`,
  { agentId: text },
)

/**
 * The same of a link that joins an agent of the owner's, which is as it was read: where two would give it a key, one does, and none
 * joins it behind its end or other limits. Locks: link, agent, passkey.
 */
export const joinAgent = one(
  'agents.join',
  `with awaiting as materialized (
     ${LOCK_AWAITING}
   ), joined as materialized (
     select id from agents
     where merchant_id = $merchantId and id = $agentId and customer_id = $customerId and status = 'active' and version = $version
       and exists (select 1 from awaiting)
     for no key update
   ), ${lockSigning('exists (select 1 from joined)')}, agreed as materialized (
     select awaiting.* from awaiting, signing where ${NOT_APPROVED}
   ), ${USE_PASSKEY}, ${KEEP_EVIDENCE}, counted as (
     update agents set version = version + 1, updated_at = $at
     where merchant_id = $merchantId and id = $agentId and exists (select 1 from agreed)
   ), ${KEYED}
   ${APPROVED}`,
  { agentId: text },
)

/** A client acts no more as the agent that its link has joined. */
export const updateWithdrawn = execute(
  'agents.withdraw_grant',
  'update agent_links set grant_seal = null where merchant_id = $merchantId and id = $linkId',
)
