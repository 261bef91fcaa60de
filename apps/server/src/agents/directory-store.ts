import type { JsonWebKey } from 'node:crypto'
import { bool, bytes, columns, json, nullable, text, time } from '../db/row.ts'
import { many, one } from '../db/statement.ts'

/** An agent that its owner has published, with one of its keys. */
export const PUBLISHED = {
  id: text,
  /** Null: published before names were sealed. */
  publishedName: nullable(text),
  publishedAt: time,
  publishedSeal: bytes,
  thumbprint: text,
  publicKey: bytes,
  encryptionKey: nullable(bytes),
  mandateKey: nullable(json<JsonWebKey>()),
  validUntil: nullable(time),
  keySeal: bytes,
}
const KEYS = 'thumbprint, public_key, encryption_key, mandate_key, valid_until, seal as key_seal'
/** Those of an agent that are good: the one that it has, and those that it changed within a day. */
const GOOD_KEYS = `lateral (
     select ${KEYS} from (
       select ${KEYS.replace(' as key_seal', '')}, created_at from agent_keys
       where merchant_id = $merchantId and agent_id = published.id order by created_at desc limit 8
     ) newest
     where valid_until is null or valid_until > $at
   )` as const

/** Agents in the order in which they were published, at most `$limit`, each with its keys. */
export const listPublished = many(
  'agents.list_published',
  `select ${columns(PUBLISHED)} from (
     select id, published_name, published_at, published_seal from agents
     where merchant_id = $merchantId and status = 'active' and published_at is not null
     order by published_at, id limit $limit
   ) published, ${GOOD_KEYS} keys
   order by published_at, id, valid_until desc nulls first, thumbprint`,
  PUBLISHED,
)

/** One of them. */
export const listPublishedKeys = many(
  'agents.list_published_keys',
  `select ${columns(PUBLISHED)} from (
     select id, published_name, published_at, published_seal from agents
     where merchant_id = $merchantId and id = $agentId and status = 'active' and published_at is not null
   ) published, ${GOOD_KEYS} keys
   order by valid_until desc nulls first, thumbprint`,
  PUBLISHED,
)

const OWN = {
  name: text,
  publishedName: nullable(text),
  isPublished: bool,
  thumbprint: text,
  publicKey: bytes,
  encryptionKey: nullable(bytes),
}
const OWN_KEY = { ...OWN, mandateKey: nullable(json<JsonWebKey>()), validUntil: nullable(time), keySeal: bytes }

/** The keys of an active agent of this owner, published or not. */
export const listOwnKeys = many(
  'agents.list_own_keys',
  `select ${columns(OWN_KEY)} from (
     select id, name, published_name, published_at is not null as is_published from agents
     where merchant_id = $merchantId and id = $agentId and status = 'active' and customer_id = $customerId
   ) published, ${GOOD_KEYS} keys
   order by valid_until desc nulls first, thumbprint`,
  OWN_KEY,
)

/** What an active agent is called, of `$customerId` if that is not null, and since when it is published. */
export const findPublishable = one(
  'agents.find_publishable',
  `select name, published_at from agents
   where merchant_id = $merchantId and id = $agentId and status = 'active'
     and customer_id = coalesce($customerId::text, customer_id)`,
  { name: text, publishedAt: nullable(time) },
)

/** Publishes an active agent by the name that was read. None: it has another one by now, or has ended. */
export const updatePublished = one(
  'agents.publish',
  `update agents set published_at = $publishedAt, published_name = name, published_seal = $seal,
     version = version + 1, updated_at = $at
   where merchant_id = $merchantId and id = $agentId and status = 'active' and name = $name
   returning id`,
  { id: text },
)

export const updateUnpublished = one(
  'agents.unpublish',
  `update agents set published_at = null, published_name = null, published_seal = null, version = version + 1, updated_at = $at
   where merchant_id = $merchantId and id = $agentId and customer_id = coalesce($customerId::text, customer_id)
   returning id`,
  { id: text },
)
