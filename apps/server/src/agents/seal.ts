import type { JsonWebKey } from 'node:crypto'
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

/** What must not be edited of a link: what its owner reads and signs, and to whose key it leads. */
export function sealedLink(
  link: Keys & { merchantId: string; id: string; name: string; platform: string | null; description: string | null },
): SealedRow {
  const { merchantId, id, name, platform, description } = link
  return { table: 'agent_links', merchantId, id, parts: [...partsOf(link), name, platform, description] }
}

/** Whose an agent is, and what it may do. What it calls itself is its own to change. */
export function sealedAgent(agent: {
  merchantId: string
  id: string
  customerId: string
  limits: JsonValue
}): SealedRow {
  const { merchantId, id, customerId, limits } = agent
  return { table: 'agents', merchantId, id, parts: [customerId, canonicalJson(limits)] }
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
