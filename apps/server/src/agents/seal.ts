import type { JsonWebKey } from 'node:crypto'
import type { AgentScope, AgentStatus } from '@mintmark/contract/agents'
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { canonicalJson, type JsonValue } from '../platform/canonical-json.ts'
import type { RowSeals, SealedRow } from '../platform/row-seals.ts'

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

/** The same of a client: its name, id and host, where answers go, and what it asks for. */
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

/** Which agent of an owner's a client may act as, and for what: an editor of the database gives no link of theirs to another one. */
export function sealedGrant(grant: {
  merchantId: string
  linkId: string
  agentId: string
  clientId: string
  scopes: readonly AgentScope[]
}): SealedRow {
  const { merchantId, linkId, agentId, clientId, scopes } = grant
  return { table: 'agent_links', merchantId, id: linkId, parts: ['grant', agentId, clientId, scopes.join(' ')] }
}

interface SealableAgent {
  merchantId: string
  id: string
  customerId: string
  limits: AgentLimits
  limitsVersion: number
  /** The client that the agent was made for, when it could have but one. */
  clientId?: string | null
  scopes?: readonly AgentScope[] | null
}

/** Whose an agent is, what it may do, and how often that was changed. What it calls itself is its own to change. */
export function sealedAgent(agent: SealableAgent): SealedRow {
  const { merchantId, id, customerId, limits, limitsVersion, clientId, scopes } = agent
  const ofClient = clientId && scopes ? [clientId, scopes.join(' ')] : []
  // The first limits are those of the link, and were sealed without a word of that.
  const ofVersion = limitsVersion === 1 ? [] : ['limits', limitsVersion]
  const parts = [customerId, canonicalJson(limits as JsonValue), ...ofClient, ...ofVersion]
  return { table: 'agents', merchantId, id, parts }
}

/** What a seal is checked against. */
interface StoredAgent extends SealableAgent {
  status: AgentStatus
  /** That the changes of its limits have led to. */
  versionByChanges: number
  seal: Uint8Array
}

/**
 * Throws `RowTampered` for an agent that was edited outside the program. One that has ended has no seal any more, so that no edit makes it active
 * again; what it may still do is to report what it has charged, which is sealed itself. Limits of an earlier version are found by the
 * changes behind them.
 */
export function checkAgent(seals: RowSeals, agent: StoredAgent): void {
  if (agent.status === 'revoked') return
  seals.check(sealedAgent(agent), agent.seal)
  if (agent.limitsVersion !== agent.versionByChanges) throw seals.alarm(sealedAgent(agent))
}

/** That its owner has published an agent, by this name. Null: before names were sealed. */
export function sealedPublication(agent: {
  merchantId: string
  id: string
  publishedAt: Date
  publishedName: string | null
}): SealedRow {
  const { merchantId, id, publishedAt, publishedName } = agent
  const ofName = publishedName === null ? [] : [publishedName]
  return { table: 'agents', merchantId, id, parts: ['published', publishedAt.getTime(), ...ofName] }
}

/** Whose a key is, and until when it is good. */
export function sealedKey(key: Keys & { merchantId: string; agentId: string; validUntil: Date | null }): SealedRow {
  const { merchantId, agentId, thumbprint, validUntil } = key
  const ofEnd = validUntil === null ? [] : ['until', validUntil.getTime()]
  return { table: 'agent_keys', merchantId, id: thumbprint, parts: [agentId, ...partsOf(key), ...ofEnd] }
}
