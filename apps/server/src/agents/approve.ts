import type { AgentLinkStatus } from '@mintmark/contract/agents'
import { readingOf, SENTENCE_VERSION, sentenceOf } from '@mintmark/contract/sentence'
import type { AgentClient, AgentLimits, AgentTerms } from '@mintmark/contract/wire/agents'
import { single } from '../db/command.ts'
import { violates } from '../db/errors.ts'
import type { CeremonyScope } from '../passkeys/service.ts'
import { canonicalJson } from '../platform/canonical-json.ts'
import { invalidState } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { claim, passkeyOf } from './ceremony.ts'
import type { AgentDeps } from './deps.ts'
import { agentKeyLinked, agentLinkNotFound } from './errors.ts'
import { checkLimits } from './limits.ts'
import { checkLink, clientOf } from './link.ts'
import * as store from './link-store.ts'
import { standingOf } from './rules.ts'
import { checkAgent, sealedAgent, sealedKey } from './seal.ts'
import { findMade } from './store.ts'

// The owner's part of a link: a passkey, which a new owner registers here, and a signature over what the agent may do.

interface OwnersLink {
  linkId: string
  customerId: string
}

/** The owner of this name in the operator's account, made if there is none. */
export async function owner(deps: AgentDeps, name: string): Promise<string> {
  await deps.ensureAccount()
  const silent = 'Owners are customers of the operator’s own account, which has no feed of theirs.'
  const made = await single(deps, { name: 'agents.owner', silent }, ({ on, at }) =>
    store.upsertOwner(on, { merchantId: deps.merchantId, newCustomerId: newId('customer'), name, at }),
  )
  if (made === undefined) throw new Error('The owner was neither found nor made.')
  return made.id
}

/** What a new owner registers a passkey with. Null: the owner has one. */
export async function registrationOptions(deps: AgentDeps, link: OwnersLink) {
  const passkey = await passkeyOf(deps, link.customerId)
  if (passkey !== null) return null
  const scope = scopeOf(deps, link)
  const silent = 'A question is no change.'
  const challenge = await single(deps, { name: 'agents.ask_registration', silent }, ({ on, at }) =>
    deps.passkeys.issueRegistration(on, scope, at),
  )
  return deps.passkeys.registrationOptions(scope, null, { challenge, userLabel: 'Mintmark' })
}

export async function register(deps: AgentDeps, link: OwnersLink, response: unknown): Promise<void> {
  const scope = scopeOf(deps, link)
  const answer = deps.passkeys.readRegistration(response)
  const { claimed } = await claim(deps, scope, 'registration', answer)
  await deps.passkeys.register(scope, answer, claimed, ({ on, at }, passkey) =>
    store.storeFirstPasskey(on, { ...passkey, at }),
  )
}

/** The statement that the owner reads, and the WebAuthn request whose challenge binds it. */
export async function approvalOptions(deps: AgentDeps, link: OwnersLink, limits: AgentLimits) {
  checkLimits(limits)
  const found = await pending(deps, link)
  const passkey = await passkeyOf(deps, link.customerId)
  const { name, platform, description } = found
  const terms: AgentTerms = {
    ...{ type: 'agent_link', link_id: link.linkId, agent_id: newId('agent'), name, platform, description },
    ...{ ...whoseKeyOf(found), limits },
    sentence: {
      ...{ version: SENTENCE_VERSION, language: 'en', locale: 'en', time_zone: null },
      text: sentenceOf({ type: 'link', agent: name, ...limits }, readingOf(['en'])),
    },
  }
  return deps.approvals.requestLink(scopeOf(deps, link), passkey, terms)
}

/** The owner's signature makes the agent. Returns its id. */
export async function approve(deps: AgentDeps, link: OwnersLink, response: unknown): Promise<string> {
  const scope = scopeOf(deps, link)
  const answer = deps.passkeys.readAssertion(response)
  const known = await claim(deps, scope, 'assertion', answer)
  const approval = await deps.approvals.verifyLink(scope, answer, known)
  const { terms } = approval
  const found = await pending(deps, link)
  const isAsSigned = terms.type === 'agent_link' && terms.link_id === link.linkId
  if (!isAsSigned || !isOf(terms, found) || terms.name !== found.name) {
    throw deps.seals.alarm({ table: 'agent_links', merchantId: deps.merchantId, id: link.linkId })
  }
  return make(deps, link, found, terms, deps.approvals.evidenceOf(scope, approval))
}

/** What of the terms says who the agent is: its key, or of software without one where it comes from and what it asks for. */
function whoseKeyOf(found: store.AgentLink): Pick<AgentTerms, 'key_thumbprint' | 'client'> {
  const client = clientOf(found)
  if (client === null) return found.thumbprint === null ? {} : { key_thumbprint: found.thumbprint }
  const { clientHost: host, redirectHost: redirect_host, scopes } = client
  return { client: { host, redirect_host, scopes } satisfies AgentClient }
}

function isOf({ key_thumbprint, client }: AgentTerms, found: store.AgentLink): boolean {
  const asked = whoseKeyOf(found)
  const isClient = canonicalJson(client ?? null) === canonicalJson(asked.client ?? null)
  return key_thumbprint === asked.key_thumbprint && isClient
}

async function make(
  deps: AgentDeps,
  { linkId, customerId }: OwnersLink,
  found: store.AgentLink,
  { agent_id: agentId, limits }: AgentTerms,
  evidence: ReturnType<AgentDeps['approvals']['evidenceOf']>,
): Promise<string> {
  const { merchantId, seals } = deps
  const client = clientOf(found)
  const agentSeal = seals.seal(sealedAgent({ merchantId, id: agentId, customerId, limits, limitsVersion: 1, client }))
  const { thumbprint, publicKey } = found
  const isKeyed = thumbprint !== null && publicKey !== null
  const keySeal = isKeyed
    ? seals.seal(sealedKey({ ...found, thumbprint, publicKey, merchantId, agentId, validUntil: null }))
    : null
  const values = { ...evidence, linkId, linkSeal: found.seal, agentId, limits, agentSeal, keySeal }
  const silent = 'Owners have no feed.'
  const made = await single(deps, { name: 'agents.approve_link', silent }, ({ on, at }) =>
    store.approveLink(on, { ...values, at }),
  ).catch((cause: unknown) => {
    throw violates(cause, store.ONE_LINK_CONSTRAINT) ? agentKeyLinked({ cause }) : cause
  })
  if (made !== undefined) return made.agentId
  await pending(deps, { linkId })
  // Nothing else stands in the way of a link that still waits.
  throw agentKeyLinked()
}

/** A link as whoever has its address sees it. */
export interface SeenLink {
  linkId: string
  /** `taken`: another owner has approved it. */
  status: AgentLinkStatus | 'taken'
  /** Who asks; null where it is `taken`. */
  asks:
    | (Pick<store.AgentLink, 'name' | 'platform' | 'description' | 'thumbprint'> & { client: AgentClient | null })
    | null
  agentId: string | null
  /** What the agent may do that it has become. */
  limits: AgentLimits | null
  expiresAt: Date
}

/** How a link stands, for somebody who may become its owner. Throws `RowTampered`. */
export async function lookAtLink(deps: AgentDeps, { linkId, customerId }: OwnersLink): Promise<SeenLink> {
  const { merchantId, pool, clock } = deps
  const found = await store.findLink(pool, { merchantId, linkId })
  if (found === undefined) throw agentLinkNotFound()
  checkLink(deps, found)
  const { name, platform, description, thumbprint, agentId, expiresAt } = found
  const status = standingOf(found, clock.now())
  const asks = { name, platform, description, thumbprint, client: whoseKeyOf(found).client ?? null }
  if (agentId === null) return { linkId, status, asks, agentId, limits: null, expiresAt }
  const made = await findMade(pool, { merchantId, agentId })
  if (made?.customerId !== customerId)
    return { linkId, status: 'taken', asks: null, agentId: null, limits: null, expiresAt }
  checkAgent(deps.seals, { ...made, merchantId, client: clientOf(found) })
  return { linkId, status, asks, agentId, limits: made.limits, expiresAt }
}

/** Somebody who was asked says no, which needs no passkey: nothing is given away by it. */
export async function denyLink(deps: AgentDeps, { linkId }: Pick<OwnersLink, 'linkId'>): Promise<void> {
  await pending(deps, { linkId })
  const silent = 'Owners have no feed.'
  const denied = await single(deps, { name: 'agents.deny_link', silent }, ({ on, at }) =>
    store.updateDenied(on, { merchantId: deps.merchantId, linkId, at }),
  )
  if (denied === undefined) throw invalidState({ message: 'The link was decided meanwhile, or its time is over.' })
}

/** The link, if it still waits for its owner. */
async function pending(deps: AgentDeps, { linkId }: Pick<OwnersLink, 'linkId'>): Promise<store.AgentLink> {
  const found = await store.findLink(deps.pool, { merchantId: deps.merchantId, linkId })
  if (found === undefined) throw agentLinkNotFound()
  checkLink(deps, found)
  const status = standingOf(found, deps.clock.now())
  if (status === 'expired' && found.keyLinked) throw agentKeyLinked()
  if (status !== 'pending') throw invalidState({ message: `The link is ${status}.` })
  return found
}

function scopeOf({ merchantId }: AgentDeps, { linkId, customerId }: OwnersLink): CeremonyScope {
  return { merchantId, customerId, subject: { type: 'agent_link', id: linkId }, allowedOrigins: [] }
}
