import { type JsonWebKey, verify } from 'node:crypto'
import { AGENT_KEY_CHANGE, AGENT_OLD_KEY_SECONDS } from '@mintmark/contract/agents'
import { single } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import type { Escalation } from '../escalations/service.ts'
import { bound } from '../platform/bound.ts'
import { addSeconds } from '../platform/clock.ts'
import { fieldErrors, invalidState } from '../platform/errors.ts'
import { approvalOptions, approve, denyLink, owner, register, registrationOptions } from './approve.ts'
import { type AgentCaller, createAgentAuthentication, unknownKey } from './authentication.ts'
import { approveLimits, limitsApproval, narrowLimits } from './change-limits.ts'
import { clientStanding, continueUrl, findGrant, isTicket, linkClient, takeBack } from './client-link.ts'
import type { AgentDeps } from './deps.ts'
import { agentKeyLinked } from './errors.ts'
import { type Renewals, renewalsAfter } from './limits.ts'
import { link, standing } from './link.ts'
import { lookAtLink } from './look.ts'
import { revoke } from './operations.ts'
import { findOwned, listOwned } from './owned.ts'
import { publish, unpublish } from './publish.ts'
import { emptyPastSlots } from './ring.ts'
import { sealedKey } from './seal.ts'
import type { AgentKey } from './signature/key.ts'
import * as store from './store.ts'
import { findSpent } from './take-store.ts'

export type { WhichAgent } from './approve.ts'
export type { ActingAgent, AgentCaller } from './authentication.ts'
export type { ClientCaller, Grant } from './client-link.ts'
export { hoursWords, judging, type LimitKind, renewalsAfter, timeIn } from './limits.ts'
export type { SeenLink } from './look.ts'
export { AGENT_REVOKED } from './operations.ts'
export type { Owned } from './owned.ts'
export { SANDBOX_LIMITS } from './rules.ts'
export { keepsItsOwn, reachedBy, take } from './take.ts'
export { findSpent } from './take-store.ts'

/** Agents of owners: how they are linked, who they are, and their keys. */
export function createAgentService(deps: AgentDeps) {
  const authenticating = createAgentAuthentication(deps)
  const linking = { link, standing, owner, registrationOptions, register, approvalOptions, approve }
  const answering = { lookAtLink, denyLink, listOwned, findOwned, revoke }
  const clients = { linkClient, clientStanding, findGrant, takeBack, continueUrl, isTicket }
  const own = { taken, change, changeKey }
  const limiting = { limitsApproval, approveLimits, narrowLimits }
  const shown = { publish, unpublish }
  const kept = { deleteUndecided, emptyPastSlots, lockActive }
  const all = { ...linking, ...answering, ...clients, ...own, ...limiting, ...shown, ...kept }
  return { ...bound(deps, all), ...authenticating, merchantId: deps.merchantId }
}
export type AgentService = ReturnType<typeof createAgentService>

/** What an agent has taken of its limits, and when there will be more. */
export interface Taken {
  openCount: number
  todayMinor: bigint
  thisMonthMinor: bigint
  renews: Renewals
  /** Charges that wait for the owner, and where the owner answers. */
  waiting: { asked: Escalation; url: string }[]
}

async function taken(
  { pool, clock, asking }: AgentDeps,
  { merchantId, agentId, limits }: Pick<AgentCaller, 'merchantId' | 'agentId' | 'limits'>,
): Promise<Taken> {
  const now = clock.now()
  const [found, waiting] = await Promise.all([
    findSpent(pool, { merchantId, agentId, at: now }),
    asking.listWaiting({ merchantId, agentId }),
  ])
  if (found === undefined) throw unknownKey()
  return {
    ...found,
    renews: renewalsAfter(limits, now),
    waiting: waiting.map((asked) => ({ asked, url: asking.urlOf(asked) })),
  }
}

/** What the agent calls itself; what is not given stays. */
async function change(
  deps: AgentDeps,
  caller: AgentCaller,
  { name = caller.name, description = caller.description }: { name?: string | undefined; description?: string | null },
): Promise<AgentCaller> {
  const { merchantId, agentId } = caller
  const changed = await single(deps, { name: 'agents.change', silent: 'owner' }, ({ on, at }) =>
    store.updateAgent(on, { merchantId, agentId, name, description, at }),
  )
  if (changed === undefined) throw unknownKey()
  return { ...caller, name: changed.name, description: changed.description }
}

export interface NewKey {
  key: AgentKey
  encryptionKey: Buffer | null
  mandateKey: JsonWebKey | null
  /** By the new key: both have signed. */
  proof: Buffer
  oldKeySeconds: number | undefined
}

/** Another key in place of the one that has signed the request. */
async function changeKey(deps: AgentDeps, caller: AgentCaller, { key, proof, oldKeySeconds, ...keys }: NewKey) {
  const { merchantId, agentId, thumbprint: oldThumbprint } = caller
  const { thumbprint, bytes: publicKey } = key
  const text = [AGENT_KEY_CHANGE, agentId, oldThumbprint, thumbprint].join('\n')
  if (!verify(null, Buffer.from(text), key.key, proof)) {
    throw fieldErrors({ proof: 'must be a signature by the new key over the lines that the documentation names' })
  }
  const row = { thumbprint, publicKey, ...keys, merchantId, agentId }
  const seal = deps.seals.seal(sealedKey({ ...row, validUntil: null }))
  const oldValidUntil = addSeconds(deps.clock.now(), oldKeySeconds ?? AGENT_OLD_KEY_SECONDS)
  const ended = await store.listKeysBeyond(deps.pool, { merchantId, agentId, until: oldValidUntil })
  const endings = {
    endedKeys: ended.map((key) => key.thumbprint),
    endedSeals: ended.map((key) => deps.seals.seal(sealedKey({ ...key, merchantId, validUntil: oldValidUntil }))),
  }
  const made = await single(deps, { name: 'agents.change_key', silent: 'owner' }, ({ on, at }) =>
    store.changeKey(on, { ...row, ...endings, oldThumbprint, oldValidUntil, seal, at }),
  )
  if (made !== undefined) {
    deps.log.info('the key of an agent was changed', { audit: 'agent_key', actor: 'agent', row_id: agentId })
    return { agentId, thumbprint, oldValidUntil }
  }
  const [linked] = await store.listKeys(deps.pool, { merchantId, keyId: thumbprint })
  if (linked !== undefined) throw agentKeyLinked()
  throw invalidState({ message: 'The key that has signed this request was changed already: sign with the new one.' })
}

/** For a change that must not be made for an agent that was revoked, in its transaction. False: it was. */
async function lockActive({ merchantId }: AgentDeps, tx: Queryable, agentId: string): Promise<boolean> {
  return (await store.lockActive(tx, { merchantId, agentId })) !== undefined
}

const KEPT_SECONDS = 24 * 60 * 60

/** Deletes links that no owner has approved, a day after their end. Returns how many. */
async function deleteUndecided(deps: AgentDeps, limit: number): Promise<number> {
  const { merchantId, clock } = deps
  const endedBefore = addSeconds(clock.now(), -KEPT_SECONDS)
  return single(deps, { name: 'agents.delete_links', silent: 'past' }, ({ on }) =>
    store.deleteUndecided(on, { merchantId, endedBefore, limit }),
  )
}
