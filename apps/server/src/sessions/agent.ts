import type { AgentCaller } from '../agents/service.ts'
import { type Creation, create, createOnce } from '../db/create-once.ts'
import type { KeyedRequest, StoredResponse } from '../db/respond-once.ts'
import type { Escalation, EscalationRef } from '../escalations/service.ts'
import { networkName } from '../network/merchant-name.ts'
import { invalidState } from '../platform/errors.ts'
import { type CreatedSession, newPayment, newSetup, opened, rejectUnscoped } from './create.ts'
import type { SessionDeps } from './deps.ts'
import { withdrawOpen } from './end.ts'
import { agentLaunch, type Launch, newLaunch } from './launch.ts'
import { EFFECTIVE_MINUTES, type MandateRequest, type Owner, type Purchase } from './purchase.ts'
import { sealedAgentOf } from './seal.ts'
import { mandateSentence, paymentSentence, toldByAgents } from './sentence.ts'
import { insertAgentPayment, insertAgentSetup } from './store.ts'

/** The agent that asks. */
export type Asker = Pick<AgentCaller, 'merchantId' | 'agentId' | 'customerId' | 'name'>

/** What an agent asks its owner for: one purchase, or with `setup` a standing mandate. */
export interface AgentRequest {
  purchase: Omit<Purchase, 'customer'>
  setup: MandateRequest | null
  /** When the session ends, where that is before the end of its own time. */
  endsAt?: Date
}

export interface AskedSession extends CreatedSession {
  /** What the owner will sign, as long as they lower nothing. */
  sentence: string
}

/** A session in the operator's own account, whose customers the owners are. */
export async function createForAgent(deps: SessionDeps, caller: Asker, request: AgentRequest): Promise<AskedSession> {
  return create(deps, prepare(deps, caller, request, agentLaunch(deps.launchSecretsKey, caller.agentId)))
}

/** The same once a key of the agent's. */
export function createForAgentOnce(
  deps: SessionDeps,
  caller: Asker,
  request: AgentRequest,
  once: KeyedRequest<AskedSession>,
): Promise<StoredResponse> {
  const launch = agentLaunch(deps.launchSecretsKey, caller.agentId)
  return createOnce(deps, caller, once, async () => prepare(deps, caller, request, launch))
}

function prepare(
  deps: SessionDeps,
  caller: Asker,
  { purchase, setup, endsAt }: AgentRequest,
  launch: Launch,
): Creation<AskedSession> {
  if (setup !== null) rejectUnscoped(deps, setup)
  const { agentId, customerId: ownerId } = caller
  const asked = { ...purchase, customer: { agentId, ownerId } }
  return setup === null
    ? createPayment(deps, caller, asked, launch)
    : createSetup(deps, caller, { ...asked, setup, endsAt }, launch)
}

/**
 * What an agent's charge asks beyond its mandate: a one-time mandate for it, which the owner approves as every one. One at a time: the
 * owner who opens it again gets a new session, and the one before is withdrawn.
 */
export async function openEscalation(deps: SessionDeps, ref: EscalationRef): Promise<AskedSession> {
  const asked = await deps.escalations.pending(ref)
  if (!asked.beyond) throw invalidState({ message: 'It is within its mandate: it needs no other.' })
  const { merchantId, agentId, customerId, sessionId } = asked
  if (sessionId !== null) await withdrawOpen(deps, { merchantId, sessionId })
  const name = await deps.escalations.agentName(asked)
  const address = deps.escalations.addressOf(asked)
  // Its address is the owner's alone, who comes from their own page: the agent has that of the question.
  const asker = { merchantId, agentId, customerId, name }
  const created = await create(deps, prepare(deps, asker, requestOf(asked, address), newLaunch()))
  const { sessionId: begun, mandateId: carrierId } = created
  if (carrierId === null) throw new Error('A setup was created without its mandate.')
  if (await deps.escalations.carry(asked, { sessionId: begun, carrierId })) return created
  await withdrawOpen(deps, { merchantId, sessionId: begun })
  throw invalidState({ message: 'It was opened or answered elsewhere meanwhile.' })
}

/**
 * The owner says no to what an agent's charge asks. The session in which they would have made the mandate for it ends first, if it has not
 * made it: a page that is still open somewhere makes none afterwards. A mandate that was approved meanwhile stands, and answers the question.
 */
export async function denyEscalation(deps: SessionDeps, ref: EscalationRef): Promise<void> {
  const { merchantId, sessionId } = await deps.escalations.pending(ref)
  if (sessionId !== null) await withdrawOpen(deps, { merchantId, sessionId })
  await deps.escalations.deny(ref, sessionId)
}

/** `callbackUrl`: where the owner came from, and goes back to. */
function requestOf(
  { payeeName: name, payeeUrl: url, payeeCountry: country, ...asked }: Escalation,
  callbackUrl: string,
): AgentRequest {
  const { amountMinor, currency, products, expiresAt: endsAt } = asked
  const payee = { name, networkName: networkName({ name, url }), url, country, categoryCode: null, category: null }
  const setup = { frequency: 'one_time', merchantScope: 'listed', maxCharges: 1, validUntil: null } as const
  const none = { summary: null, description: null, externalOrderRef: null, cardId: null, locale: null }
  return {
    purchase: {
      ...{ ...none, callbackUrl, vaultRecordId: null, amountMinor, currency, payee },
      products: products.map(({ externalId, name, unitPrice, quantity }) => ({
        externalId,
        name,
        unitPrice,
        quantity,
      })),
      ...{ effectiveMinutes: EFFECTIVE_MINUTES, integrationType: 'full_checkout' },
    },
    // Less than was asked for would not carry it.
    setup: { ...setup, adjustable: false },
    // Nothing is approved there later: its agent was told by then that no owner answered, for good.
    endsAt,
  }
}

function createPayment(
  deps: SessionDeps,
  caller: Asker,
  purchase: Purchase<Owner>,
  launch: Launch,
): Creation<AskedSession> {
  const session = newPayment(deps, caller.merchantId, purchase, launch, deps.clock.now())
  const named = { ...session, ...agentIn(deps, caller, session.sessionId) }
  const { text: sentence } = paymentSentence({ ...named, quoteId: null }, toldByAgents(deps))
  const grant = { ...named, ...launch, mandateId: null, readAs: 'payment' } as const
  return {
    name: 'sessions.create_for_agent',
    silent: 'unapproved',
    by: async (run) => ({ ...(await opened(deps, grant, await run((on) => insertAgentPayment(on, named)))), sentence }),
  }
}

function createSetup(
  deps: SessionDeps,
  caller: Asker,
  { setup, endsAt, ...purchase }: Purchase<Owner> & { setup: MandateRequest; endsAt: Date | undefined },
  launch: Launch,
): Creation<AskedSession> {
  const session = newSetup(deps, caller.merchantId, purchase, setup, launch, deps.clock.now())
  const expiresAt = endsAt !== undefined && endsAt < session.expiresAt ? endsAt : session.expiresAt
  const named = { ...session, expiresAt, ...agentIn(deps, caller, session.sessionId) }
  const { text: sentence } = mandateSentence({ ...named, createdAt: named.at }, toldByAgents(deps))
  const grant = { ...named, ...launch, readAs: 'mandate_setup' } as const
  return {
    name: 'sessions.create_setup_for_agent',
    silent: 'unapproved',
    by: async (run) => ({ ...(await opened(deps, grant, await run((on) => insertAgentSetup(on, named)))), sentence }),
  }
}

/** The agent that asks, as the owner reads it and as it is sealed. */
export function agentIn({ seals }: SessionDeps, { merchantId, agentId, name: agentName }: Asker, id: string) {
  return { agentId, agentName, agentSeal: seals.seal(sealedAgentOf({ merchantId, id, agentId, agentName })) }
}
