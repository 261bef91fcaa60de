import { ESCALATION_MINUTES, type EscalationStatus } from '@mintmark/contract/agents'
import type { Owned } from '../agents/service.ts'
import type { Escalation } from '../escalations/service.ts'
import type { MandateService } from '../mandates/service.ts'
import { addSeconds } from '../platform/clock.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'

// What an owner is asked by a charge of an agent beyond a limit, and what they answer.

type Mandate = Awaited<ReturnType<MandateService['find']>>

export interface LookedAtEscalation {
  asked: Escalation
  status: EscalationStatus
  agent: Owned
  mandate: Mandate
  /** Charges of the mandate before it, newest first. */
  before: (Mandate['listedCharges'][number] & { isRepeated: boolean })[]
  now: Date
}

const MOST_BEFORE = 5
/** As charges without a reference are compared. */
const REPEATED_SECONDS = 5 * 60

export async function lookAtEscalation(deps: OwnerDeps, caller: OwnerCaller, id: string): Promise<LookedAtEscalation> {
  const asked = await findOwn(deps, caller, id)
  const { merchantId, agentId, customerId, mandateId } = asked
  const [status, agent, mandate] = await Promise.all([
    deps.escalations.standing({ merchantId, id }),
    deps.agents.findOwned(customerId, agentId),
    deps.mandates.find({ merchantId, agentId, ownerId: customerId }, mandateId),
  ])
  const askedAt = addSeconds(asked.expiresAt, -ESCALATION_MINUTES * 60)
  const before = mandate.listedCharges
    .filter(({ id: chargeId }) => chargeId !== asked.chargeId)
    .slice(0, MOST_BEFORE)
    .map((charge) => ({ ...charge, isRepeated: isRepeated(asked, charge, askedAt) }))
  return { asked, status, agent, mandate, before, now: deps.clock.now() }
}

/** Of the same amount, and a moment before. */
function isRepeated(asked: Escalation, charge: Mandate['listedCharges'][number], askedAt: Date): boolean {
  const age = askedAt.getTime() - Date.parse(charge.created_at)
  const isAlike = BigInt(charge.amount_minor) === asked.amountMinor && charge.currency === asked.currency
  return isAlike && charge.status !== 'failed' && age >= 0 && age <= REPEATED_SECONDS * 1000
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
