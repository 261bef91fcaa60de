import type { KeyObject } from 'node:crypto'
import type { AgentStatus } from '@mintmark/contract/agents'
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { single } from '../db/command.ts'
import { remember } from '../platform/remember.ts'
import { isUntouched } from '../platform/row-seals.ts'
import { mappedRecipient, type Recipient } from '../vault/payload.ts'
import { refused } from './claim.ts'
import type { AgentDeps } from './deps.ts'
import { cardUrl } from './directory.ts'
import { replayed } from './link.ts'
import { nonceOf } from './nonces.ts'
import { ownerName } from './rules.ts'
import { checkAgent, sealedKey } from './seal.ts'
import { publicKeyOf } from './signature/key.ts'
import { type SignatureClaim, verifySignature } from './signature/verify.ts'
import * as store from './store.ts'

/** The agent that has signed a request, as handlers see it. */
export interface AgentCaller {
  merchantId: string
  agentId: string
  customerId: string
  /** Its owner, by the name that no other agent sees. */
  owner: string
  name: string
  platform: string | null
  description: string | null
  limits: AgentLimits
  /** Where shops find who it is; null unless its owner has published it. */
  cardUrl: string | null
  /** The thumbprint of the key that has signed. */
  thumbprint: string
  /** The agent's key that payloads are encrypted to. */
  recipient: Recipient
  /** What the body has to be. */
  claim: Pick<SignatureClaim, 'bodyDigest'>
}

/** An agent that does something, however it has shown who it is. */
export type ActingAgent = Pick<
  AgentCaller,
  'merchantId' | 'agentId' | 'customerId' | 'owner' | 'name' | 'platform' | 'description' | 'limits'
>

interface Candidate {
  row: store.StoredKey
  key: KeyObject
  recipient: Recipient
}

/** The agent that has signed, as far as the signature alone says it: the nonce may have been used, and the agent revoked. */
export interface Signer extends Pick<AgentCaller, 'merchantId' | 'agentId'> {
  candidate: Candidate
  claim: SignatureClaim
}

/** What becomes of an agent that was revoked. */
interface Taking {
  revoked: 'refused' | 'taken'
}

const MAX_KEY_IDS = 10_000

export const unknownKey = () =>
  refused({ reason: 'key_unknown', message: 'keyid is neither an agent nor a key that is linked and good.' })

/**
 * Finds the agent that has signed, and then lets it in. Keys are remembered, for a thumbprint is of one key for ever; whether it is good, and
 * its agent active, says the statement that spends the nonce, each time. So a request costs one statement, and a revocation counts from the
 * next one on. Limits come in between: a request that is one too many spends no nonce, and writes nothing.
 */
export function createAgentAuthentication(deps: AgentDeps) {
  const remembered = new Map<string, readonly Candidate[]>()

  async function identify(claim: SignatureClaim): Promise<Signer> {
    const known = remembered.get(claim.keyid)
    const candidates = known ?? (await candidatesOf(deps, claim.keyid))
    let signer = signerOf(candidates, claim)
    // The agent may have changed its key since.
    if (signer === undefined && known !== undefined) signer = signerOf(await renewed(claim.keyid), claim)
    if (candidates.length === 0 && signer === undefined) throw unknownKey()
    if (signer === undefined) throw refusedBy(candidates, claim)
    if (known === undefined) remember(remembered, MAX_KEY_IDS, claim.keyid, candidates)
    return { merchantId: deps.merchantId, agentId: signer.row.agentId, candidate: signer, claim }
  }

  async function admit({ candidate, claim }: Signer, { revoked }: Taking): Promise<AgentCaller> {
    const { status, caller } = await spendNonce(deps, candidate, claim)
    if (status === 'revoked' && revoked === 'refused') {
      throw refused({ reason: 'key_unknown', message: 'The agent was revoked.' })
    }
    return caller
  }

  async function renewed(keyId: string) {
    const candidates = await candidatesOf(deps, keyId)
    remember(remembered, MAX_KEY_IDS, keyId, candidates)
    return candidates
  }

  return { identify, admit }
}

async function candidatesOf(deps: AgentDeps, keyId: string): Promise<Candidate[]> {
  const { pool, merchantId, seals } = deps
  const rows = await store.listKeys(pool, { merchantId, keyId })
  return rows
    .filter((row) => isUntouched(() => seals.check(sealedKey({ ...row, merchantId }), row.seal)))
    .map((row) => ({
      row,
      key: publicKeyOf(row.publicKey),
      recipient: row.encryptionKey ?? mappedRecipient(row.publicKey),
    }))
}

function signerOf(candidates: readonly Candidate[], claim: SignatureClaim): Candidate | undefined {
  return candidates.find(({ key }) => verifySignature(claim, key) === undefined)
}

function refusedBy([first]: readonly Candidate[], claim: SignatureClaim) {
  const refusal = first && verifySignature(claim, first.key)
  return refusal === undefined ? unknownKey() : refused(refusal)
}

async function spendNonce(
  deps: AgentDeps,
  { row, recipient }: Candidate,
  claim: SignatureClaim,
): Promise<{ status: AgentStatus; caller: AgentCaller }> {
  const { merchantId, seals } = deps
  const { thumbprint } = row
  const found = await single(deps, { name: 'agents.authenticate', silent: 'challenge' }, ({ on, at }) =>
    store.authenticate(on, { merchantId, thumbprint, ...nonceOf(thumbprint, claim), at }),
  )
  if (found === undefined) throw unknownKey()
  if (!found.isFresh) throw replayed()
  const { keyValidUntil: validUntil, keySeal } = found
  seals.check(sealedKey({ ...row, validUntil, merchantId }), keySeal)
  checkAgent(seals, { ...found, merchantId })
  const { id: agentId, customerId, name, platform, description, limits, publishedAt } = found
  const { bodyDigest } = claim
  const owner = ownerName(deps.ownersKey, { customerId, agentId })
  const caller = Object.freeze({
    ...{ merchantId, agentId, customerId, owner, name, platform, description, limits, thumbprint, recipient },
    cardUrl: publishedAt === null ? null : cardUrl(deps.apiUrl, agentId),
    claim: { bodyDigest },
  })
  return { status: found.status, caller }
}
