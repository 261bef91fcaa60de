import type { EscalationStatus } from '@mintmark/contract/agents'
import type { Owned } from '../agents/service.ts'
import type { Escalation } from '../escalations/service.ts'
import type { MandateService } from '../mandates/service.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'

// What an owner is asked by a charge of an agent beyond a limit, and what they answer.

type Mandate = Awaited<ReturnType<MandateService['find']>>

export interface LookedAtEscalation {
  asked: Escalation
  status: EscalationStatus
  agent: Owned
  mandate: Mandate
  /** It is like another one of the five minutes before it, as the service tells agents: agent, shop, amount and lines. */
  isDuplicate: boolean
  /** Charges of the mandate before it, newest first, and which of them it is like. */
  before: (Mandate['listedCharges'][number] & { isRepeated: boolean })[]
  now: Date
}

const MOST_BEFORE = 5

export async function lookAtEscalation(deps: OwnerDeps, caller: OwnerCaller, id: string): Promise<LookedAtEscalation> {
  const asked = await findOwn(deps, caller, id)
  const { merchantId, agentId, customerId, mandateId } = asked
  const [status, agent, mandate] = await Promise.all([
    deps.escalations.standing({ merchantId, id }),
    deps.agents.findOwned(customerId, agentId),
    deps.mandates.find({ merchantId, agentId, ownerId: customerId }, mandateId),
  ])
  const duplicateOf =
    mandate.listedCharges.find(({ id: chargeId }) => chargeId === asked.chargeId)?.duplicate_of ?? null
  const before = mandate.listedCharges
    .filter(({ id: chargeId }) => chargeId !== asked.chargeId)
    .slice(0, MOST_BEFORE)
    .map((charge) => ({ ...charge, isRepeated: charge.id === duplicateOf }))
  return { asked, status, agent, mandate, isDuplicate: duplicateOf !== null, before, now: deps.clock.now() }
}

export async function escalationApproval(deps: OwnerDeps, caller: OwnerCaller, id: string) {
  const { merchantId } = await findOwn(deps, caller, id)
  return deps.escalations.approvalOptions({ merchantId, id })
}

export async function allowEscalation(
  deps: OwnerDeps,
  caller: OwnerCaller,
  { id, response }: { id: string; response: unknown },
): Promise<void> {
  const { merchantId } = await findOwn(deps, caller, id)
  await deps.escalations.allow({ merchantId, id }, response)
}

export async function denyEscalation(deps: OwnerDeps, caller: OwnerCaller, id: string): Promise<void> {
  const { merchantId } = await findOwn(deps, caller, id)
  await deps.escalations.deny({ merchantId, id })
}

/** The page where the owner makes the one-time mandate that carries the charge. */
export async function openMandate(deps: OwnerDeps, caller: OwnerCaller, id: string): Promise<string> {
  const { merchantId } = await findOwn(deps, caller, id)
  return (await deps.sessions.openEscalation({ merchantId, id })).iframeUrl
}

async function findOwn({ escalations }: OwnerDeps, { merchantId, customerId }: OwnerCaller, id: string) {
  return escalations.findOwn({ merchantId, id }, customerId)
}
