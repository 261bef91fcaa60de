import { type JoinAsked, type LinkAsked, readingOf, SENTENCE_VERSION, sentenceOf } from '@mintmark/contract/sentence'
import type { AgentClient, AgentLimits, AgentTerms, JoinTerms } from '@mintmark/contract/wire/agents'
import { single } from '../db/command.ts'
import { violates } from '../db/errors.ts'
import type { CeremonyScope } from '../passkeys/service.ts'
import { canonicalJson, type JsonValue } from '../platform/canonical-json.ts'
import { invalidState } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { claim, passkeyOf } from './ceremony.ts'
import type { AgentDeps } from './deps.ts'
import { agentKeyLinked, agentLinkNotFound, agentNotFound } from './errors.ts'
import { checkLimits } from './limits.ts'
import { checkLink, clientOf } from './link.ts'
import * as store from './link-store.ts'
import { findOwned } from './owned.ts'
import { standingOf } from './rules.ts'
import { sealedAgent, sealedGrant, sealedKey } from './seal.ts'
import type { OwnedAgent } from './store.ts'

// The owner's part of a link: a passkey, which a new owner registers here, and a signature over what the agent may do.

export interface OwnersLink {
  linkId: string
  customerId: string
}

/** The owner of this name in the operator's account, made if there is none. */
export async function owner(deps: AgentDeps, name: string): Promise<string> {
  await deps.ensureAccount()
  const made = await single(deps, { name: 'agents.owner', silent: 'owner' }, ({ on, at }) =>
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
  const challenge = await single(deps, { name: 'agents.ask_registration', silent: 'challenge' }, ({ on, at }) =>
    deps.passkeys.issueRegistration(on, scope, at),
  )
  return deps.passkeys.registrationOptions(scope, null, { challenge, userLabel: 'Mintmark' })
}

export async function register(deps: AgentDeps, link: OwnersLink, response: unknown): Promise<void> {
  const scope = scopeOf(deps, link)
  const answer = deps.passkeys.readRegistration(response)
  const { claimed } = await claim(deps, scope, 'registration', answer)
  await deps.passkeys.register(scope, answer, claimed, {
    silent: 'owner',
    store: ({ on, at }, passkey) => store.storeFirstPasskey(on, { ...passkey, at }),
  })
}

/** What the owner says that it is: a new agent, with these limits, or one that they have, whose limits stay. */
export type WhichAgent = { limits: AgentLimits } | { agentId: string }

/** The statement that the owner reads, and the WebAuthn request whose challenge binds it. */
export async function approvalOptions(deps: AgentDeps, link: OwnersLink, which: WhichAgent) {
  if ('limits' in which) checkLimits(which.limits)
  const found = await pending(deps, link)
  const passkey = await passkeyOf(deps, link.customerId)
  const joined = 'agentId' in which ? await joinable(deps, link, found, which.agentId) : null
  const asked = 'limits' in which ? newTerms(found, which.limits) : null
  const terms = joined === null ? asked : joinTerms(found, joined)
  if (terms === null) throw new Error('Nobody has said which agent it is.')
  return deps.approvals.requestLink(scopeOf(deps, link), passkey, terms)
}

const said = (asked: LinkAsked | JoinAsked): AgentTerms['sentence'] => ({
  ...{ version: SENTENCE_VERSION, language: 'en', locale: 'en', time_zone: null },
  text: sentenceOf(asked, readingOf(['en'])),
})

function askingOf(found: store.AgentLink) {
  const { id, name, platform, description } = found
  return { link_id: id, name, platform, description, ...whoseKeyOf(found) }
}

function newTerms(found: store.AgentLink, limits: AgentLimits): AgentTerms {
  const sentence = said({ type: 'link', agent: found.name, ...limits })
  return { type: 'agent_link', ...askingOf(found), agent_id: newId('agent'), limits, sentence }
}

function joinTerms(found: store.AgentLink, { id, name, limits }: OwnedAgent): JoinTerms {
  const sentence = said({ type: 'join', asks: found.name, agent: name, ...limits })
  return { type: 'agent_join', ...askingOf(found), agent: { id, name }, limits, sentence }
}

/** The owner's agent that the link may join: one that is active, and of a key one that has none. */
async function joinable(deps: AgentDeps, { customerId }: OwnersLink, found: store.AgentLink, agentId: string) {
  const agent = await findOwned(deps, customerId, agentId)
  if (agent.status !== 'active') throw agentNotFound()
  if (found.thumbprint !== null && agent.hasKey) {
    throw invalidState({ message: 'The agent has a key: it changes it by a request that both have signed.' })
  }
  return agent
}

/** The owner's signature makes the agent, or joins the one that it names. Returns its id. */
export async function approve(deps: AgentDeps, link: OwnersLink, response: unknown): Promise<string> {
  const scope = scopeOf(deps, link)
  const answer = deps.passkeys.readAssertion(response)
  const known = await claim(deps, scope, 'assertion', answer)
  const approval = await deps.approvals.verifyLink(scope, answer, known)
  const { terms } = approval
  const found = await pending(deps, link)
  const isAsSigned = ['agent_link', 'agent_join'].includes(terms.type) && terms.link_id === link.linkId
  if (!isAsSigned || !isOf(terms, found) || terms.name !== found.name) {
    throw deps.seals.alarm({ table: 'agent_links', merchantId: deps.merchantId, id: link.linkId })
  }
  const evidence = deps.approvals.evidenceOf(scope, approval)
  if (terms.type === 'agent_join') return join(deps, link, found, terms, evidence)
  return make(deps, link, found, terms, evidence)
}

/** What of the terms says who the agent is: its key, or of software without one where it comes from and what it asks for. */
export function whoseKeyOf(found: store.AgentLink): Pick<AgentTerms, 'key_thumbprint' | 'client'> {
  const client = clientOf(found)
  if (client === null) return found.thumbprint === null ? {} : { key_thumbprint: found.thumbprint }
  const { clientHost: host, redirectHost: redirect_host, scopes } = client
  return { client: { host, redirect_host, scopes } satisfies AgentClient }
}

function isOf({ key_thumbprint, client }: AgentTerms | JoinTerms, found: store.AgentLink): boolean {
  const asked = whoseKeyOf(found)
  const isClient = canonicalJson(client ?? null) === canonicalJson(asked.client ?? null)
  return key_thumbprint === asked.key_thumbprint && isClient
}

type Evidence = ReturnType<AgentDeps['approvals']['evidenceOf']>

async function make(
  deps: AgentDeps,
  { linkId, customerId }: OwnersLink,
  found: store.AgentLink,
  { agent_id: agentId, limits }: AgentTerms,
  evidence: Evidence,
): Promise<string> {
  const { merchantId, seals } = deps
  const agentSeal = seals.seal(sealedAgent({ merchantId, id: agentId, customerId, limits, limitsVersion: 1 }))
  const values = { ...evidence, ...holdingsOf(deps, found, agentId), linkId, agentId, limits, agentSeal }
  const made = await single(deps, { name: 'agents.approve_link', silent: 'owner' }, ({ on, at }) =>
    store.approveLink(on, { ...values, at }),
  ).catch(asLinked)
  if (made !== undefined) return made.agentId
  await pending(deps, { linkId })
  // Nothing else stands in the way of a link that still waits.
  throw agentKeyLinked()
}

async function join(
  deps: AgentDeps,
  link: OwnersLink,
  found: store.AgentLink,
  terms: JoinTerms,
  evidence: Evidence,
): Promise<string> {
  const { linkId } = link
  const { id: agentId, version, name, limits } = await joinable(deps, link, found, terms.agent.id)
  // What was signed is what the agent is called, and may do, now.
  if (name !== terms.agent.name || textOf(limits) !== textOf(terms.limits)) throw changedMeanwhile()
  const values = { ...evidence, ...holdingsOf(deps, found, agentId), linkId, agentId, version }
  const joined = await single(deps, { name: 'agents.join', silent: 'owner' }, ({ on, at }) =>
    store.joinAgent(on, { ...values, at }),
  ).catch(asLinked)
  if (joined !== undefined) return joined.agentId
  await pending(deps, { linkId })
  throw changedMeanwhile()
}

const textOf = (limits: AgentLimits) => canonicalJson(limits as JsonValue)
const changedMeanwhile = () => invalidState({ message: 'The agent has changed meanwhile. Look at it again.' })

const asLinked = (cause: unknown) => {
  throw violates(cause, store.ONE_LINK_CONSTRAINT) ? agentKeyLinked({ cause }) : cause
}

/** What the agent holds by the link: a key, or a grant. */
function holdingsOf({ merchantId, seals }: AgentDeps, found: store.AgentLink, agentId: string) {
  const { id: linkId, thumbprint, publicKey, seal: linkSeal } = found
  const client = clientOf(found)
  const isKeyed = thumbprint !== null && publicKey !== null
  return {
    linkSeal,
    keySeal: isKeyed
      ? seals.seal(sealedKey({ ...found, thumbprint, publicKey, merchantId, agentId, validUntil: null }))
      : null,
    grantSeal: client === null ? null : seals.seal(sealedGrant({ ...client, merchantId, linkId, agentId })),
  }
}

/** An owner says no to the link that they were led to, which needs no passkey: nothing is given away by it. */
export async function denyLink(deps: AgentDeps, { linkId }: Pick<OwnersLink, 'linkId'>): Promise<void> {
  await pending(deps, { linkId })
  const denied = await single(deps, { name: 'agents.deny_link', silent: 'owner' }, ({ on, at }) =>
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
