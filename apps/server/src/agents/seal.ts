import type { JsonWebKey } from 'node:crypto'
import type { AgentScope } from '@mintmark/contract/agents'
import { canonicalJson, type JsonValue } from '../platform/canonical-json.ts'
import type { SealedRow } from '../platform/row-seals.ts'

interface Keys {
  thumbprint: string
  publicKey: Uint8Array
  encryptionKey: Uint8Array | null
  mandateKey: JsonWebKey | null
}

const partsOf = ({ thumbprint, publicKey, encryptionKey, mandateKey }: Keys) => [
  thumbprint,
  publicKey,
  encryptionKey,
  mandateKey === null ? null : canonicalJson(mandateKey as JsonValue),
]

interface Words {
  name: string
  platform: string | null
  description: string | null
}

/** What must not be edited of a link: what its owner reads and signs, and to whose key it leads. */
export function sealedLink(link: Keys & Words & { merchantId: string; id: string }): SealedRow {
  const { merchantId, id, name, platform, description } = link
  return { table: 'agent_links', merchantId, id, parts: [...partsOf(link), name, platform, description] }
}

/** The same of software without a key: who it is, where answers go, and what it asks for. */
export function sealedClientLink(link: {
  merchantId: string
  id: string
  name: string
  clientId: string
  clientHost: string | null
  redirectHost: string
  scopes: readonly AgentScope[]
}): SealedRow {
  const { merchantId, id, name, clientId, clientHost, redirectHost, scopes } = link
  const parts = ['client', name, clientId, clientHost, redirectHost, scopes.join(' ')]
  return { table: 'agent_links', merchantId, id, parts }
}

/** Whose an agent is, and what it may do. What it calls itself is its own to change. */
export function sealedAgent(agent: {
  merchantId: string
  id: string
  customerId: string
  limits: JsonValue
  /** Of an agent without a key. */
  client?: { clientId: string; scopes: readonly AgentScope[] } | null
}): SealedRow {
  const { merchantId, id, customerId, limits, client } = agent
  const ofClient = client ? [client.clientId, client.scopes.join(' ')] : []
  return { table: 'agents', merchantId, id, parts: [customerId, canonicalJson(limits), ...ofClient] }
}

/** That its owner has published an agent. */
export function sealedPublication(agent: { merchantId: string; id: string; publishedAt: Date }): SealedRow {
  const { merchantId, id, publishedAt } = agent
  return { table: 'agents', merchantId, id, parts: ['published', publishedAt.getTime()] }
}

/** Whose a key is. */
export function sealedKey(key: Keys & { merchantId: string; agentId: string }): SealedRow {
  const { merchantId, agentId, thumbprint } = key
  return { table: 'agent_keys', merchantId, id: thumbprint, parts: [agentId, ...partsOf(key)] }
}
