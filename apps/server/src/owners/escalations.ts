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
  /** What the agent made of it, once it was allowed; null: nothing yet. */
  charged: Mandate['listedCharges'][number] | null
  now: Date
}

const MAX_CHARGES_BEFORE = 5

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
    .filter(({ created_at }) => new Date(created_at) < asked.createdAt)
    .slice(0, MAX_CHARGES_BEFORE)
    .map((charge) => ({ ...charge, isRepeated: charge.id === duplicateOf }))
  const charged = status === 'allowed' ? await chargedBy(deps, asked, mandate) : null
  return { asked, status, agent, mandate, isDuplicate: duplicateOf !== null, before, charged, now: deps.clock.now() }
}

/** The agent comes back with the same reference, to the mandate that was made for it if there is one. */
async function chargedBy(deps: OwnerDeps, asked: Escalation, mandate: Mandate) {
  const { merchantId, agentId, customerId, carrierId, reference, chargeId } = asked
  const scope = { merchantId, agentId, ownerId: customerId }
  const { listedCharges } = carrierId === null ? mandate : await deps.mandates.find(scope, carrierId)
  return listedCharges.find((charge) => charge.reference === reference && charge.id !== chargeId) ?? null
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
  await deps.sessions.denyEscalation({ merchantId, id })
}

/** The page where the owner makes the one-time mandate that carries the charge. */
export async function openMandate(deps: OwnerDeps, caller: OwnerCaller, id: string): Promise<string> {
  const { merchantId } = await findOwn(deps, caller, id)
  return (await deps.sessions.openEscalation({ merchantId, id })).iframeUrl
}

async function findOwn({ escalations }: OwnerDeps, { merchantId, customerId }: OwnerCaller, id: string) {
  return escalations.findOwn({ merchantId, id }, customerId)
}
