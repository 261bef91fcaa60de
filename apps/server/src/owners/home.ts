import { agentNotFound } from '../agents/errors.ts'
import type { Owned } from '../agents/service.ts'
import { readTogether } from '../db/pipeline.ts'
import type { Queryable } from '../db/statement.ts'
import type { Escalation } from '../escalations/service.ts'
import type { OwnerAddress } from '../mail/service.ts'
import type { MandateOfAgent } from '../mandates/service.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'
import { nameOf } from './sign-in.ts'

/** An agent with its standing mandates; one that has ended has those that ended with it. */
type OwnedWithMandates = Owned & { mandates: MandateOfAgent[] }

export interface Home {
  name: string
  agents: OwnedWithMandates[]
  /** With the agent that asks; undefined: its row was edited. */
  waiting: (Escalation & { agent: Pick<Owned, 'name' | 'linkedAs'> | undefined })[]
  /** Where they are mailed what their agents ask: no credential, for a reader of those mails can allow nothing. Null: no mails are sent here. */
  mail: { address: OwnerAddress | undefined } | null
  now: Date
}

/**
 * The agents that may spend for an owner, and what waits for the owner. Their page asks for it every five seconds: it waits for the database
 * once, and once more where they make mandates for what they are asked.
 */
export async function home(deps: OwnerDeps, caller: OwnerCaller): Promise<Home> {
  const { merchantId, customerId } = caller
  const [name, agents, mandates, waiting, mail] = await readTogether(deps.pool, (on) =>
    Promise.all([
      nameOf(deps, caller, on),
      deps.agents.listOwned(on, customerId),
      deps.mandates.listOfAgents(on, { merchantId, customerId }),
      deps.escalations.listOfOwner(on, { merchantId, customerId }),
      mailOf(deps, on, caller),
    ]),
  )
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  return {
    name,
    agents: agents.map((agent) => ({ ...agent, mandates: mandates.filter((mandate) => isOf(agent, mandate)) })),
    waiting: waiting.map((asked) => ({ ...asked, agent: byId.get(asked.agentId) })),
    mail,
    now: deps.clock.now(),
  }
}

async function mailOf(
  { mail }: OwnerDeps,
  on: Queryable,
  { merchantId, customerId }: OwnerCaller,
): Promise<Home['mail']> {
  return mail.sendsMail() ? { address: await mail.ownerAddress(on, { merchantId, customerId }) } : null
}

function isOf({ id, revokedAt }: Owned, { agentId, endedAt }: MandateOfAgent): boolean {
  return agentId === id && (endedAt === null || (revokedAt !== null && endedAt >= revokedAt))
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

/** `read`: the name on the card that they have looked at. */
export async function publishAgent(
  { agents }: OwnerDeps,
  { customerId }: OwnerCaller,
  { agentId, read }: { agentId: string; read: string },
): Promise<void> {
  await agents.publish({ agentId, customerId, read })
}

export async function unpublishAgent(
  { agents }: OwnerDeps,
  { customerId }: OwnerCaller,
  agentId: string,
): Promise<void> {
  await agents.unpublish({ agentId, customerId })
}
