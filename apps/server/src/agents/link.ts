import type { JsonWebKey } from 'node:crypto'
import { AGENT_LINK_MINUTES } from '@mintmark/contract/agents'
import { single } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import { refused } from './claim.ts'
import type { AgentDeps } from './deps.ts'
import { agentKeyLinked, agentLinkNotFound } from './errors.ts'
import * as store from './link-store.ts'
import { nonceOf } from './nonces.ts'
import { standingOf } from './rules.ts'
import { sealedClientLink, sealedLink } from './seal.ts'
import { type AgentKey, publicKeyOf } from './signature/key.ts'
import { type SignatureClaim, verifySignature } from './signature/verify.ts'
import { spendNonce } from './store.ts'

/** What an agent asks an owner with. */
export interface LinkRequest {
  key: AgentKey
  encryptionKey: Buffer | null
  mandateKey: JsonWebKey | null
  name: string
  platform: string | null
  description: string | null
}

export const replayed = () => refused({ reason: 'nonce_replayed', message: 'The nonce was used before.' })

/** The service does not know the key yet: the request shows that its sender has it, and the owner decides what that is worth. */
export async function link(deps: AgentDeps, claim: SignatureClaim, { key, ...asked }: LinkRequest) {
  checkSignedBy(claim, key)
  const { merchantId } = deps
  const linkId = newId('agentLink')
  const { thumbprint, bytes: publicKey } = key
  const row = { merchantId, id: linkId, thumbprint, publicKey, ...asked }
  const seal = deps.seals.seal(sealedLink(row))
  const { expiresAt, ...made } = await single(deps, { name: 'agents.link', silent: 'owner' }, async ({ on, at }) => {
    const expiresAt = addSeconds(at, AGENT_LINK_MINUTES * 60)
    const values = { ...row, ...nonceOf(thumbprint, claim), linkId, at, expiresAt, seal }
    return { expiresAt, ...(await store.insertLink(on, values)) }
  })
  if (made.isFresh !== true) throw replayed()
  if (made.made !== true) throw agentKeyLinked()
  return { linkId, linkUrl: `${deps.ownerUrl}/links/${linkId}`, expiresAt }
}

/** How a link stands, for whoever has its key. */
export async function standing(deps: AgentDeps, claim: SignatureClaim, linkId: string) {
  const { merchantId, pool, clock } = deps
  const found = await store.findLink(pool, { merchantId, linkId })
  if (found === undefined) throw agentLinkNotFound()
  checkLink(deps, found)
  const { thumbprint, publicKey } = found
  if (thumbprint === null || publicKey === null) throw agentLinkNotFound()
  checkSignedBy(claim, { thumbprint, key: publicKeyOf(publicKey) })
  const spent = await single(deps, { name: 'agents.spend_nonce', silent: 'challenge' }, ({ on }) =>
    spendNonce(on, { merchantId, ...nonceOf(thumbprint, claim) }),
  )
  if (spent === undefined) throw replayed()
  return { status: standingOf(found, clock.now()), agentId: found.agentId }
}

export function checkLink({ seals, merchantId }: AgentDeps, found: store.StoredLink): void {
  const { thumbprint, publicKey } = found
  const client = clientOf(found)
  if (client !== null) seals.check(sealedClientLink({ ...found, ...client, merchantId }), found.seal)
  // The database lets no other link be without a key.
  else if (thumbprint === null || publicKey === null) throw new Error(`The link ${found.id} is of nobody.`)
  else seals.check(sealedLink({ ...found, merchantId, thumbprint, publicKey }), found.seal)
}

/** The client that asks; null: a key does. */
export function clientOf({ clientId, clientHost, redirectHost, scopes }: store.StoredLink) {
  return clientId === null || redirectHost === null || scopes === null
    ? null
    : { clientId, clientHost, redirectHost, scopes }
}

function checkSignedBy(claim: SignatureClaim, { key, thumbprint }: Pick<AgentKey, 'key' | 'thumbprint'>): void {
  if (claim.keyid !== thumbprint) {
    throw refused({ reason: 'key_unknown', message: `keyid is not the thumbprint of the key, ${thumbprint}.` })
  }
  const refusal = verifySignature(claim, key)
  if (refusal !== undefined) throw refused(refusal)
}
