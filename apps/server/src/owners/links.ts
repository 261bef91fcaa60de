import type { AgentLimits } from '@mintmark/contract/wire/agents'
import type { SeenLink } from '../agents/service.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'

// What an owner does with the link of an agent.

/** Where whoever opened the page goes on, once it is decided; null: they stay. */
export interface Decided {
  continueUrl: string | null
}
const HERE: Decided = { continueUrl: null }

export interface LookedAtLink extends SeenLink, Decided {
  now: Date
}

export async function look(
  { agents, clock }: OwnerDeps,
  { customerId }: OwnerCaller,
  linkId: string,
): Promise<LookedAtLink> {
  return { ...(await agents.lookAtLink({ linkId, customerId })), ...HERE, now: clock.now() }
}

/** The statement with these limits, and the WebAuthn request that signs it. */
export async function linkApproval(
  { agents }: OwnerDeps,
  { customerId }: OwnerCaller,
  { linkId, limits }: { linkId: string; limits: AgentLimits },
) {
  return agents.approvalOptions({ linkId, customerId }, limits)
}

export async function approveLink(
  { agents }: OwnerDeps,
  { customerId }: OwnerCaller,
  { linkId, response }: { linkId: string; response: unknown },
): Promise<Decided> {
  await agents.approve({ linkId, customerId }, response)
  return HERE
}

export async function denyLink({ agents }: OwnerDeps, linkId: string): Promise<Decided> {
  await agents.denyLink({ linkId })
  return HERE
}
