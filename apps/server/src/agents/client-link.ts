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
import { checkAgent, sealedClientLink, sealedGrant } from './seal.ts'
import * as store from './store.ts'

// Clients of the tool protocol, which an owner lets in by a link as well: each gets tokens in place of a key, and acts as the agent that
// the owner has named, or as a new one.

export interface ClientRequest {
  /** Chosen by whoever asks, so that asking again makes no second link. */
  linkId: string
  clientId: string
  name: string
  clientHost: string | null
  redirectHost: string
  scopes: readonly AgentScope[]
}

/** The link by which an owner has let a client in, and the agent that it acts as. */
export interface Grant {
  linkId: string
  agentId: string
}

/** An agent, as a client acts that has been let in, as handlers see it. */
export interface ClientCaller extends ActingAgent {
  clientId: string
  scopes: readonly AgentScope[]
  /** It can charge a mandate, and read a card, by what its key signs. */
  hasKey: boolean
}

export async function linkClient(deps: AgentDeps, asked: ClientRequest): Promise<void> {
  const { merchantId } = deps
  const seal = deps.seals.seal(sealedClientLink({ ...asked, merchantId, id: asked.linkId }))
  await single(deps, { name: 'agents.link_client', silent: 'owner' }, ({ on, at }) =>
    linkStore.insertClientLink(on, {
      ...{ ...asked, scopes: [...asked.scopes], merchantId, seal, at },
      expiresAt: addSeconds(at, AGENT_LINK_MINUTES * 60),
    }),
  )
}

export interface ClientLink {
  status: AgentLinkStatus
  agentId: string | null
}

/** How the link of a client stands. Throws `RowTampered`. */
export async function clientStanding(deps: AgentDeps, linkId: string): Promise<ClientLink> {
  const { merchantId, pool, clock } = deps
  const found = await linkStore.findLink(pool, { merchantId, linkId })
  if (found === undefined || clientOf(found) === null) throw agentLinkNotFound()
  checkLink(deps, found)
  return { status: standingOf(found, clock.now()), agentId: found.agentId }
}

/** The client that acts by a grant, if the agent is active. Throws `RowTampered`. */
export async function findGrant(deps: AgentDeps, { linkId, agentId }: Grant): Promise<ClientCaller | undefined> {
  const { merchantId, pool, seals, ownersKey } = deps
  const found = await store.findGrant(pool, { merchantId, linkId, agentId })
  if (found === undefined || found.status !== 'active') return undefined
  const { customerId, name, platform, description, limits, hasKey } = found
  const { grantedTo: clientId, grantedScopes: scopes } = found
  checkAgent(seals, { ...found, merchantId })
  seals.check(sealedGrant({ merchantId, linkId, agentId, clientId, scopes }), found.grantSeal)
  const owner = ownerName(ownersKey, { customerId, agentId })
  const acting = { merchantId, agentId, customerId, owner, name, platform, description, limits }
  return Object.freeze({ ...acting, clientId, scopes, hasKey })
}

/**
 * What was approved in another browser than began it is taken back: a new agent ends, by `end`; one that the owner had before goes on
 * without this client.
 */
export async function takeBack(
  deps: AgentDeps,
  grant: Grant,
  end: (agentId: string) => Promise<unknown>,
): Promise<void> {
  const { merchantId, pool } = deps
  const found = await store.findGrant(pool, { merchantId, ...grant })
  if (found === undefined || found.status !== 'active') return
  if (found.isMadeFor) await end(grant.agentId)
  else {
    await single(deps, { name: 'agents.take_back', silent: 'owner' }, ({ on }) =>
      linkStore.updateWithdrawn(on, { merchantId, linkId: grant.linkId }),
    )
  }
}

/**
 * Where the browser goes on that has decided the link of a client, for that browser alone: the address says that it is the one. The
 * browser that has begun is told by a cookie; an attacker who has talked an owner into approving a link that was begun elsewhere has one of
 * the two. Null: it is the link of a key, and no client waits.
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
