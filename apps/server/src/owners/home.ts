import { agentNotFound } from '../agents/errors.ts'
import type { Owned } from '../agents/service.ts'
import type { Escalation } from '../escalations/service.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'
import { type Exposure, exposureOf } from './exposure.ts'
import { mailOf, type OwnersMail } from './mail.ts'
import { nameOf } from './sign-in.ts'

export interface Home {
  name: string
  agents: Owned[]
  /** With what the agent is called. */
  waiting: (Escalation & { agentName: string })[]
  money: Exposure
  mail: OwnersMail
  now: Date
}

/** The agents that may spend for an owner, and what waits for them. */
export async function home(deps: OwnerDeps, caller: OwnerCaller): Promise<Home> {
  const { merchantId, customerId } = caller
  const [name, agents, waiting, mail] = await Promise.all([
    nameOf(deps, caller),
    deps.agents.listOwned(customerId),
    deps.escalations.listOfOwner({ merchantId, customerId }),
    mailOf(deps, caller),
  ])
  const names = new Map(agents.map((agent) => [agent.id, agent.name]))
  const money = await exposureOf(deps, caller, agents)
  return {
    name,
    agents,
    money,
    waiting: waiting.map((asked) => ({ ...asked, agentName: names.get(asked.agentId) ?? '' })),
    mail,
    now: deps.clock.now(),
  }
}

/** Ends an agent of theirs, as the operator does. */
export async function revokeAgent({ agents }: OwnerDeps, { customerId }: OwnerCaller, agentId: string): Promise<void> {
  await agents.revoke(agentId, customerId)
}

/** What everybody would read of an agent of theirs, or reads. */
export async function cardOfAgent({ directory }: OwnerDeps, { customerId }: OwnerCaller, agentId: string) {
  const found = await directory.preview({ agentId, customerId })
  if (found === undefined) throw agentNotFound()
  return found
}

export async function publishAgent({ agents }: OwnerDeps, { customerId }: OwnerCaller, agentId: string): Promise<void> {
  await agents.publish({ agentId, customerId })
}

export async function unpublishAgent(
  { agents }: OwnerDeps,
  { customerId }: OwnerCaller,
  agentId: string,
): Promise<void> {
  await agents.unpublish({ agentId, customerId })
}
