import type { AgentLimits, AgentMe, ChangeKeyBody, LinkAgentBody } from '@mintmark/contract/wire/agents'
import type { WhichAgentBody } from '@mintmark/contract/wire/owner'
import { type ErrorDetails, fieldErrors } from '../platform/errors.ts'
import { valueAt } from '../platform/json.ts'
import { amountFromMinor, minorFromAmount } from '../platform/money.ts'
import { foldWhiteSpace, optionalText } from '../platform/text.ts'
import { hoursWords, limitProblems } from './limits.ts'
import type { LinkRequest } from './link.ts'
import { isOnCurve, readEncryptionKey } from './rules.ts'
import type { ActingAgent, NewKey, Taken, WhichAgent } from './service.ts'
import { readAgentKey } from './signature/key.ts'

type Keys = Pick<LinkAgentBody, 'public_key' | 'encryption_key' | 'mandate_key'>

/** Keys that have the right form and are none. */
export function keyProblems(body: unknown): ErrorDetails {
  const [publicKey, encryptionKey, mandateKey] = (['public_key', 'encryption_key', 'mandate_key'] as const).map(
    (name) => valueAt(body, name),
  )
  const isBad = {
    public_key: typeof publicKey === 'string' && readAgentKey(publicKey) === undefined,
    encryption_key: typeof encryptionKey === 'string' && readEncryptionKey(encryptionKey) === undefined,
    mandate_key: isPoint(mandateKey) && !isOnCurve(mandateKey),
  }
  return {
    ...(isBad.public_key && { public_key: 'must be the public key (SPKI, DER, base64) of an Ed25519 key pair' }),
    ...(isBad.encryption_key && { encryption_key: 'must be the public key (32 bytes, base64) of an X25519 key pair' }),
    ...(isBad.mandate_key && { mandate_key: 'must be a point of P-256' }),
  }
}

/** Limits are of a new agent, and are all that says so. */
export function whichProblems(body: unknown): ErrorDetails {
  const [limits, agentId] = [valueAt(body, 'limits'), valueAt(body, 'agent_id')]
  if (limits === undefined && agentId === undefined) return { limits: 'is required of a new agent' }
  if (limits !== undefined && agentId !== undefined) return { limits: 'must be absent: those of the agent stay' }
  return limitProblems(limits, 'limits.')
}

export function fromWireWhich({ limits, agent_id: agentId }: WhichAgentBody): WhichAgent {
  if (limits !== undefined) return { limits }
  if (agentId !== undefined) return { agentId }
  throw fieldErrors(whichProblems({}))
}

function isPoint(value: unknown): value is { kty: 'EC'; crv: 'P-256'; x: string; y: string } {
  return typeof valueAt(value, 'x') === 'string' && typeof valueAt(value, 'y') === 'string'
}

export function fromWireLink(body: LinkAgentBody): LinkRequest {
  const { name, platform, description } = body
  const words = { name: foldWhiteSpace(name), platform: optionalText(platform), description: optionalText(description) }
  return { ...fromWireKeys(body), ...words }
}

export function fromWireKeyChange(body: ChangeKeyBody): NewKey {
  const { proof, old_key_seconds: oldKeySeconds } = body
  return { ...fromWireKeys(body), proof: Buffer.from(proof, 'base64'), oldKeySeconds }
}

function fromWireKeys({ public_key, encryption_key, mandate_key }: Keys) {
  const key = readAgentKey(public_key)
  if (key === undefined) throw fieldErrors(keyProblems({ public_key }))
  const encryptionKey = encryption_key === undefined ? null : Buffer.from(encryption_key, 'base64')
  return { key, encryptionKey, mandateKey: mandate_key ?? null }
}

export function toWireMe(
  caller: ActingAgent & { thumbprint: string; cardUrl: string | null },
  taken: Taken,
  operations: readonly string[],
  sessions: readonly WaitingSession[],
): AgentMe {
  const { agentId, owner, name, platform, description, limits, thumbprint, cardUrl } = caller
  return {
    ...{ agent_id: agentId, name, platform, description, owner, key_thumbprint: thumbprint },
    card_url: cardUrl,
    limits: toWireLimits(limits, taken),
    operations: [...operations],
    waiting: [...taken.waiting.map(toWireCharge), ...sessions.map(toWireSession)],
  }
}

type Waiting = AgentMe['waiting'][number]

function toWireCharge({ asked, url }: Taken['waiting'][number]): Waiting {
  const { id, mandateId, reference, amountMinor, currency, limitKind, payeeName, payeeUrl, expiresAt } = asked
  return {
    ...{ type: 'charge', id, mandate_id: mandateId, reference, amount: amountFromMinor(amountMinor), currency },
    ...{ merchant: { name: payeeName, url: payeeUrl }, limit: limitKind, url },
    expires_at: expiresAt.toISOString(),
  }
}

/** A session that its owner can still approve. Sessions know the agents that ask: not the other way round. */
export interface WaitingSession {
  id: string
  mandateId: string | null
  amountMinor: bigint
  currency: string
  payeeName: string
  payeeUrl: string
  url: string
  expiresAt: Date
}

function toWireSession(session: WaitingSession): Waiting {
  const { id, mandateId, amountMinor, currency, payeeName, payeeUrl, url, expiresAt } = session
  return {
    ...{ type: 'session', id, mandate_id: mandateId, reference: null, amount: amountFromMinor(amountMinor), currency },
    ...{ merchant: { name: payeeName, url: payeeUrl }, limit: null, url },
    expires_at: expiresAt.toISOString(),
  }
}

type Standing = AgentMe['limits'][number]

/** Limits that nothing adds up in say what they are alone. */
export function toWireLimits(limits: AgentLimits, taken: Omit<Taken, 'waiting'>): Standing[] {
  const { currency, charge, day, month, open, merchants, hours, ask_above, ask_repeats = false } = limits
  const plain = (kind: Standing['kind'], limit: string | null): Standing[] =>
    limit === null ? [] : [{ kind, limit, used: null, left: null, renews_at: null }]
  return [
    ...plain('currency', currency),
    ...plain('charge', charge),
    ...spent('day', day, taken.todayMinor, taken.renews.day),
    ...spent('month', month, taken.thisMonthMinor, taken.renews.month),
    ...counted(open, taken.openCount),
    ...plain('merchants', merchants === null ? null : merchants.join(', ')),
    ...opening(hours, taken.renews.hours),
    ...plain('ask_above', ask_above),
    ...plain('ask_repeats', ask_repeats ? 'true' : null),
  ]
}

/** Hours in words, and when they begin next. */
function opening(hours: AgentLimits['hours'], begins: Date | null): Standing[] {
  if (hours === null) return []
  const renews_at = begins?.toISOString() ?? null
  return [{ kind: 'hours', limit: hoursWords(hours), used: null, left: null, renews_at }]
}

/** What is taken of an amount, until a time. */
function spent(kind: Standing['kind'], limit: string | null, takenMinor: bigint, renews: Date): Standing[] {
  if (limit === null) return []
  const left = minorFromAmount(limit) - takenMinor
  const used = amountFromMinor(takenMinor)
  return [{ kind, limit, used, left: amountFromMinor(left > 0n ? left : 0n), renews_at: renews.toISOString() }]
}

function counted(limit: number | null, used: number): Standing[] {
  if (limit === null) return []
  const left = String(Math.max(0, limit - used))
  return [{ kind: 'open', limit: String(limit), used: String(used), left, renews_at: null }]
}
