import type { AgentCaller } from '../agents/service.ts'
import { single } from '../db/command.ts'
import { type CreatedSession, newPayment, newSetup, opened, rejectUnscoped } from './create.ts'
import type { SessionDeps } from './deps.ts'
import { newLaunchSecret } from './launch.ts'
import type { MandateRequest, Owner, Purchase } from './purchase.ts'
import { sealedAgentOf } from './seal.ts'
import { mandateSentence, paymentSentence } from './sentence.ts'
import { insertAgentPayment, insertAgentSetup } from './store.ts'

/** What an agent asks its owner for: one purchase, or with `setup` a standing mandate. */
export interface AgentRequest {
  purchase: Omit<Purchase, 'customer'>
  setup: MandateRequest | null
}

export interface AskedSession extends CreatedSession {
  /** What the owner will sign, as long as they lower nothing. */
  sentence: string
}

/** A session in the operator's own account, whose customers the owners are. */
export async function createForAgent(
  deps: SessionDeps,
  caller: AgentCaller,
  { purchase, setup }: AgentRequest,
): Promise<AskedSession> {
  if (setup !== null) rejectUnscoped(deps, setup)
  const { agentId, customerId: ownerId } = caller
  const asked = { ...purchase, customer: { agentId, ownerId } }
  return setup === null ? createPayment(deps, caller, asked) : createSetup(deps, caller, asked, setup)
}

async function createPayment(deps: SessionDeps, caller: AgentCaller, purchase: Purchase<Owner>): Promise<AskedSession> {
  const { merchantId } = caller
  const launchSecret = newLaunchSecret()
  const session = newPayment(deps, merchantId, purchase, launchSecret, deps.clock.now())
  const named = { ...session, ...agentIn(deps, caller, session.sessionId) }
  const silent = 'A session that nobody approved is no payment yet.'
  const created = await single(deps, { name: 'sessions.create_for_agent', silent }, ({ on }) =>
    insertAgentPayment(on, named),
  )
  const { text: sentence } = paymentSentence(named)
  return { ...(await opened(deps, { ...named, mandateId: null, launchSecret, plain: true }, created)), sentence }
}

async function createSetup(
  deps: SessionDeps,
  caller: AgentCaller,
  purchase: Purchase<Owner>,
  setup: MandateRequest,
): Promise<AskedSession> {
  const { merchantId } = caller
  const launchSecret = newLaunchSecret()
  const session = newSetup(deps, merchantId, purchase, setup, launchSecret, deps.clock.now())
  const named = { ...session, ...agentIn(deps, caller, session.sessionId) }
  const silent = 'A mandate that nobody approved is none yet.'
  const created = await single(deps, { name: 'sessions.create_setup_for_agent', silent }, ({ on }) =>
    insertAgentSetup(on, named),
  )
  const { text: sentence } = mandateSentence({ ...named, createdAt: named.at })
  return { ...(await opened(deps, { ...named, launchSecret, plain: false }, created)), sentence }
}

/** Who asks, as the owner reads it and as it is sealed. */
function agentIn({ seals }: SessionDeps, { merchantId, agentId, name: agentName }: AgentCaller, id: string) {
  return { agentId, agentName, agentSeal: seals.seal(sealedAgentOf({ merchantId, id, agentId, agentName })) }
}
