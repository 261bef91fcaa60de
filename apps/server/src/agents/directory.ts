import { hash, sign } from 'node:crypto'
import type { Pool } from 'pg'
import type { RowOf } from '../db/row.ts'
import { type Clock, unmoved } from '../platform/clock.ts'
import { isUntouched, type RowSeals } from '../platform/row-seals.ts'
import type { Secret } from '../platform/secret.ts'
import { type DirectoryKey, directoryKeyOf } from './directory-key.ts'
import * as store from './directory-store.ts'
import { sealedKey, sealedPublication } from './seal.ts'

interface DirectoryDeps {
  pool: Pool
  /** Keys are good until a time of it. */
  clock: Clock
  seals: RowSeals
  merchantId: string
  /** The public origin of the API. */
  apiUrl: string
  /** What the operator's own key is made from. */
  key: Secret<Buffer>
}

/** A document that is signed for whoever asks for it. */
export interface SignedDocument {
  body: string
  /** `Content-Digest`, RFC 9530. */
  digest: string
  /** The headers of a signature that is good for a minute, at this authority alone. */
  signedFor(authority: string): Record<string, string>
}

/** The agents that were published first are listed; a later one has its card alone. */
const MAX_LISTED = 1_000
/** Readers keep it for half a minute (`max-age`), so who is revoked is gone from all caches within a minute. */
const KEPT_MILLIS = 1_000
const SIGNED_SECONDS = 60

type Published = RowOf<typeof store.PUBLISHED>

/** Keys and names of agents that their owners have published, for shops. */
export function createAgentDirectory(deps: DirectoryDeps) {
  const key = directoryKeyOf(deps.key)
  let kept: { until: number; document: Promise<SignedDocument> } | undefined

  /** All of them, read once for all who ask in a second. */
  function read(): Promise<SignedDocument> {
    const now = unmoved(deps.clock).getTime()
    if (kept !== undefined && kept.until > now) return kept.document
    const document = readDirectory(deps, key)
    kept = { until: now + KEPT_MILLIS, document }
    document.catch(() => {
      kept = undefined
    })
    return document
  }

  return {
    read,
    card: (agentId: string) => readCard(deps, key, agentId),
    preview: (agent: { agentId: string; customerId: string }) => preview(deps, agent),
  }
}
export type AgentDirectory = ReturnType<typeof createAgentDirectory>

/** Where the card of an agent is. */
export const cardUrl = (apiUrl: string, agentId: string) => `${apiUrl}/v1/agents/${agentId}/card`

async function readDirectory(deps: DirectoryDeps, key: DirectoryKey): Promise<SignedDocument> {
  const { pool, merchantId, clock, apiUrl } = deps
  const rows = await store.listPublished(pool, { merchantId, at: clock.now(), limit: MAX_LISTED })
  const keys = genuine(deps, rows).map((row) => ({ ...jwkOf(row), signature_agent_card: cardUrl(apiUrl, row.id) }))
  return signed(deps, key, { keys: [key.jwk, ...keys] }, 'http-message-signatures-directory')
}

/** Null: no agent of this id is active and published. */
async function readCard(deps: DirectoryDeps, key: DirectoryKey, agentId: string): Promise<SignedDocument | null> {
  const { pool, merchantId, clock, apiUrl } = deps
  const rows = genuine(deps, await store.listPublishedKeys(pool, { merchantId, agentId, at: clock.now() }))
  const [first] = rows
  if (first === undefined) return null
  return signed(deps, key, cardOf(apiUrl, agentId, first.publishedName, rows), 'signature-agent-card')
}

/** What was published before names were sealed says none: whatever the agent calls itself, its owner has not published that. */
function cardOf(apiUrl: string, agentId: string, name: string | null, keys: readonly PublicKey[]) {
  return {
    client_id: cardUrl(apiUrl, agentId),
    ...(name !== null && { client_name: name }),
    jwks: { keys: keys.map(jwkOf) },
    web_bot_auth: { trigger: 'fetcher', purpose: 'payment' },
  }
}

/** What everybody could read of an agent, as its owner sees it before. Undefined: they have none of this id that is active and has a key. */
async function preview(
  { pool, merchantId, clock, apiUrl, seals }: DirectoryDeps,
  { agentId, customerId }: { agentId: string; customerId: string },
) {
  const rows = await store.listOwnKeys(pool, { merchantId, agentId, customerId, at: clock.now() })
  const own = rows.filter((row) =>
    isUntouched(() => seals.check(sealedKey({ ...row, merchantId, agentId }), row.keySeal)),
  )
  const [first] = own
  if (first === undefined) return undefined
  const { isPublished, name, publishedName } = first
  return { isPublished, card: cardOf(apiUrl, agentId, isPublished ? publishedName : name, own) }
}

/** Without those that an editor of the database has published, or given a key. */
function genuine({ seals, merchantId }: DirectoryDeps, rows: readonly Published[]): Published[] {
  return rows.filter((row) =>
    isUntouched(() => {
      seals.check(sealedPublication({ merchantId, ...row }), row.publishedSeal)
      seals.check(sealedKey({ ...row, merchantId, agentId: row.id }), row.keySeal)
    }),
  )
}

type PublicKey = Pick<Published, 'thumbprint' | 'publicKey' | 'validUntil'>

function jwkOf({ thumbprint, publicKey, validUntil }: PublicKey) {
  const x = Buffer.from(publicKey).toString('base64url')
  const end = validUntil === null ? {} : { exp: Math.floor(validUntil.getTime() / 1000) }
  return { kty: 'OKP', crv: 'Ed25519', kid: thumbprint, x, use: 'sig', ...end }
}

/** The authority is part of what is signed, so that no other host shows the document as its own. */
function signed({ clock }: DirectoryDeps, key: DirectoryKey, content: object, tag: string): SignedDocument {
  const body = JSON.stringify(content)
  const digest = `sha-256=:${hash('sha256', body, 'base64')}:`
  return {
    body,
    digest,
    signedFor(authority) {
      const created = Math.floor(unmoved(clock).getTime() / 1000)
      const input =
        `("@authority";req "content-digest");created=${created};expires=${created + SIGNED_SECONDS}` +
        `;keyid="${key.jwk.kid}";alg="ed25519";tag="${tag}"`
      const base = `"@authority";req: ${authority}\n"content-digest": ${digest}\n"@signature-params": ${input}`
      const signature = sign(null, Buffer.from(base), key.privateKey).toString('base64')
      return { 'signature-input': `operator=${input}`, signature: `operator=:${signature}:` }
    },
  }
}
