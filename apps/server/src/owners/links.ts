import type { LimitsBody } from '@mintmark/contract/wire/owner'
import type { SeenLink } from '../agents/service.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'
import { rejectWider } from './recovered.ts'

// What an owner does with the link of an agent.

/** Where whoever opened the page goes on, once it is decided; null: they stay. */
export interface Decided {
  continueUrl: string | null
}

export interface ReadLink extends SeenLink, Decided {
  now: Date
}

export async function readLink(
  { agents, clock }: OwnerDeps,
  { customerId }: OwnerCaller,
  linkId: string,
): Promise<ReadLink> {
  const seen = await agents.readLink({ linkId, customerId })
  // It was this owner who approved it: they may have closed the page before it went on.
  const continueUrl = seen.agentId === null ? null : await agents.continueUrl(linkId)
  return { ...seen, continueUrl, now: clock.now() }
}

/** The statement with these limits, and the WebAuthn request that signs it. */
export async function linkApproval(
  deps: OwnerDeps,
  caller: OwnerCaller,
  { linkId, ...asked }: { linkId: string } & LimitsBody,
) {
  const { customerId } = caller
  await rejectWider(deps, caller)
  return deps.agents.approvalOptions({ linkId, customerId }, asked)
}

export async function approveLink(
  deps: OwnerDeps,
  caller: OwnerCaller,
  { linkId, response }: { linkId: string; response: unknown },
): Promise<Decided> {
  const { agents } = deps
  const { customerId } = caller
  await rejectWider(deps, caller)
  await agents.approve({ linkId, customerId }, response)
  return { continueUrl: await agents.continueUrl(linkId) }
}

export async function denyLink({ agents }: OwnerDeps, { customerId }: OwnerCaller, linkId: string): Promise<Decided> {
  await agents.denyLink({ linkId, customerId })
  return { continueUrl: await agents.continueUrl(linkId) }
}
