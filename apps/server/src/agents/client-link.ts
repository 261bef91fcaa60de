import { createHmac, timingSafeEqual } from 'node:crypto'
import { AGENT_LINK_MINUTES, type AgentLinkStatus, type AgentScope } from '@mintmark/contract/agents'
import { single } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import type { ActingAgent } from './authentication.ts'
import type { AgentDeps } from './deps.ts'
import { agentLinkNotFound } from './errors.ts'
import { checkLink, clientOf } from './link.ts'
import * as linkStore from './link-store.ts'
import { ownerName, standingOf } from './rules.ts'
import { checkAgent, sealedClientLink } from './seal.ts'
import * as store from './store.ts'

// Software without a key, which an owner lets in by a link as well: it gets tokens in place of a key.

export interface ClientRequest {
  /** Chosen by whoever asks, so that asking again makes no second link. */
  linkId: string
  clientId: string
  name: string
  clientHost: string | null
  redirectHost: string
  scopes: readonly AgentScope[]
}

/** An agent without a key, as handlers see it. */
export interface ClientCaller extends ActingAgent {
  clientId: string
  scopes: readonly AgentScope[]
}

export async function linkClient(deps: AgentDeps, asked: ClientRequest): Promise<void> {
  const { merchantId } = deps
  const seal = deps.seals.seal(sealedClientLink({ ...asked, merchantId, id: asked.linkId }))
  const silent = 'It is asked for by nobody that has a feed.'
  await single(deps, { name: 'agents.link_client', silent }, ({ on, at }) =>
    linkStore.insertClientLink(on, {
      ...{ ...asked, scopes: [...asked.scopes], merchantId, seal, at },
      expiresAt: addSeconds(at, AGENT_LINK_MINUTES * 60),
    }),
  )
}

export interface ClientLink {
  status: AgentLinkStatus
  agentId: string | null
  clientId: string
  scopes: readonly AgentScope[]
}

/** How the link of a client stands. Throws `RowTampered`. */
export async function clientStanding(deps: AgentDeps, linkId: string): Promise<ClientLink> {
  const { merchantId, pool, clock } = deps
  const found = await linkStore.findLink(pool, { merchantId, linkId })
  const client = found === undefined ? null : clientOf(found)
  if (found === undefined || client === null) throw agentLinkNotFound()
  checkLink(deps, found)
  return { ...client, status: standingOf(found, clock.now()), agentId: found.agentId }
}

/** An agent without a key, if it is active. Throws `RowTampered`. */
export async function findClientAgent(deps: AgentDeps, agentId: string): Promise<ClientCaller | undefined> {
  const { merchantId, pool, seals, ownersKey } = deps
  const found = await store.findClientAgent(pool, { merchantId, agentId })
  if (found === undefined || found.status !== 'active') return undefined
  const { customerId, name, platform, description, limits, clientId, scopes } = found
  const client = { clientId, scopes }
  checkAgent(seals, { ...found, merchantId, client })
  const owner = ownerName(ownersKey, { customerId, agentId })
  return Object.freeze({ merchantId, agentId, customerId, owner, name, platform, description, limits, ...client })
}

/**
 * Where the browser goes on that has decided the link of a client, for that browser alone: the address says that it is the one. The
 * browser that has begun is told by a cookie; who has talked an owner into approving a link that was begun elsewhere has one of the two.
 * Null: the agent has a key, and nobody waits.
 */
export async function continueUrl(deps: AgentDeps, linkId: string): Promise<string | null> {
  const found = await linkStore.findLink(deps.pool, { merchantId: deps.merchantId, linkId })
  if (found === undefined || clientOf(found) === null) return null
  return `${deps.apiUrl}/oauth/links/${linkId}?ticket=${ticketOf(deps, linkId).toString('base64url')}`
}

export async function isTicket(deps: AgentDeps, linkId: string, ticket: string): Promise<boolean> {
  const given = Buffer.from(ticket, 'base64url')
  const right = ticketOf(deps, linkId)
  return given.length === right.length && timingSafeEqual(given, right)
}

function ticketOf({ ticketsKey }: AgentDeps, linkId: string): Buffer {
  return createHmac('sha256', ticketsKey.reveal()).update(linkId).digest()
}
