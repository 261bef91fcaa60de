import type { SeenLink, WhichAgent } from '../agents/service.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'

// What an owner does with the link of an agent.

/** Where whoever opened the page goes on, once it is decided; null: they stay. */
export interface Decided {
  continueUrl: string | null
}

export interface LookedAtLink extends SeenLink, Decided {
  now: Date
}

export async function look(
  { agents, clock }: OwnerDeps,
  { customerId }: OwnerCaller,
  linkId: string,
): Promise<LookedAtLink> {
  const seen = await agents.lookAtLink({ linkId, customerId })
  // It was this owner who approved it: they may have closed the page before it went on.
  const continueUrl = seen.agentId === null ? null : await agents.continueUrl(linkId)
  return { ...seen, continueUrl, now: clock.now() }
}

/** The statement of which agent it is, and the WebAuthn request that signs it. */
export async function linkApproval(
  { agents }: OwnerDeps,
  { customerId }: OwnerCaller,
  { linkId, ...which }: { linkId: string } & WhichAgent,
) {
  return agents.approvalOptions({ linkId, customerId }, which)
}

export async function approveLink(
  { agents }: OwnerDeps,
  { customerId }: OwnerCaller,
  { linkId, response }: { linkId: string; response: unknown },
): Promise<Decided> {
  await agents.approve({ linkId, customerId }, response)
  return { continueUrl: await agents.continueUrl(linkId) }
}

export async function denyLink({ agents }: OwnerDeps, linkId: string): Promise<Decided> {
  await agents.denyLink({ linkId })
  return { continueUrl: await agents.continueUrl(linkId) }
}
