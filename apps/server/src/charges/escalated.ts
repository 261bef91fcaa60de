import type { PaymentFailure } from '@mintmark/contract'
import type { EscalationStatus } from '@mintmark/contract/agents'
import type { Escalation, ShownEscalation } from '../escalations/service.ts'
import type { AgentValues, ChargeLimit, LimitDetails } from './agent.ts'
import type { ChargeDeps } from './deps.ts'
import type { Judged } from './judge.ts'
import { type Asking, askingWords } from './limit-words.ts'
import type { Given } from './prepare.ts'

// Where the owner of an agent is asked about a charge, and what comes of it.

export interface RefusedCharge {
  given: Given
  agent: AgentValues
  judged: Judged
  limit: LimitDetails
}

/** The values by which the refused charge asks its owner (`ASK_OWNER`). */
export function askingOf({ escalations }: ChargeDeps, { given, agent, judged, limit }: RefusedCharge, at: Date) {
  const { merchantId, mandateId, chargeId, reference, amountMinor } = given
  const { agentId, ownerId } = agent
  return escalations.askingOf(
    {
      ...{ merchantId, agentId, ownerId, mandateId, chargeId, reference, amountMinor },
      ...{ limit: limit.limit, canAsk: limit.canAsk, ...payeeOf({ given, judged }) },
    },
    at,
  )
}

/** Where it would be charged, and in what. */
export function payeeOf({ given: { payeeName, payeeUrl }, judged }: Pick<RefusedCharge, 'given' | 'judged'>) {
  return {
    currency: judged.mandateCurrency,
    payeeName: payeeName ?? judged.mandatePayeeName,
    payeeUrl: payeeUrl ?? judged.mandatePayeeUrl,
  }
}

/** What the owner is asked of a charge that was refused, and how it is told to the agent. */
export async function escalationOf(
  deps: ChargeDeps,
  given: Given,
  limit: LimitDetails | null,
): Promise<{ limit: LimitDetails | null; escalation: ShownEscalation | null }> {
  if (limit === null) return { limit, escalation: null }
  const found = await find(deps, given)
  // It was allowed, made and came to nothing: the owner is asked of this reference no more.
  if (found?.status === 'used')
    return { limit: withAsking({ ...limit, canAsk: false }, { state: 'used' }), escalation: null }
  if (found === undefined) return { limit: withAsking(limit, unaskedOf(given, limit)), escalation: null }
  const escalation = deps.escalations.shown(found, await deps.escalations.standingOf(found))
  return { limit: withAsking(limit, { state: 'asked', escalation }), escalation }
}

/** Why the owner is not asked. A charge that could ask has asked, unless too many questions wait. */
export function unaskedOf({ reference, isDry }: Pick<Given, 'reference' | 'isDry'>, { canAsk }: LimitDetails): Asking {
  if (!canAsk) return { state: 'cannot' }
  if (reference === null) return { state: 'no_reference' }
  return { state: isDry ? 'would_ask' : 'too_many' }
}

export const withAsking = (limit: LimitDetails, asking: Asking): LimitDetails => ({
  ...limit,
  words: limit.words + askingWords(asking),
})

type Word =
  | {
      answer: 'refused'
      chargeId: string
      failure: PaymentFailure
      limit: ChargeLimit
      escalation: ShownEscalation
    }
  /** It may be made, against its own mandate. */
  | { answer: 'allowed'; escalationId: string }
  /** It is made against the mandate that the owner has made for it. */
  | { answer: 'carried'; carrierId: string }

/** What the owner has said of this charge; null: they are not asked any more. */
export async function ownersWord(deps: ChargeDeps, given: Given, judged: Judged): Promise<Word | null> {
  const found = await find(deps, given)
  if (found === undefined || found.status === 'used') return null
  const status = await deps.escalations.standingOf(found)
  const isGood = found.goodUntil === null || found.goodUntil > deps.clock.now()
  if (status === 'allowed' && isGood && isSameCharge(given, judged, found)) {
    if (!found.beyond) return { answer: 'allowed', escalationId: found.id }
    if (found.carrierId !== null) return { answer: 'carried', carrierId: found.carrierId }
  }
  return {
    answer: 'refused',
    chargeId: found.chargeId,
    failure: FAILURES[status] ?? REFUSALS[found.limitKind] ?? 'AGENT_LIMIT_EXCEEDED',
    limit: found.limitKind,
    escalation: deps.escalations.shown(found, status),
  }
}

/** No owner is said to have said no who was not asked, nor to have been silent who said no. */
const FAILURES: Partial<Record<EscalationStatus, PaymentFailure>> = {
  denied: 'OWNER_DENIED',
  expired: 'OWNER_TIMEOUT',
}

/** As it was refused when it was asked. */
const REFUSALS: Partial<Record<ChargeLimit, PaymentFailure>> = {
  mandate: 'THRESHOLD_EXCEEDED',
  max_charges: 'MAX_CHARGES_EXCEEDED',
}

/** What was allowed is this amount at this shop. A charge that names no shop is made at that of the mandate. */
function isSameCharge({ amountMinor, ...given }: Given, judged: Judged, found: Escalation): boolean {
  const url = given.payeeUrl ?? judged.mandatePayeeUrl
  const name = given.payeeName ?? judged.mandatePayeeName
  return amountMinor === found.amountMinor && url === found.payeeUrl && name === found.payeeName
}

async function find({ escalations }: ChargeDeps, { merchantId, mandateId, reference }: Given) {
  return reference === null ? undefined : escalations.findReferenced({ merchantId, mandateId, reference })
}
