import type { Owned } from '../agents/service.ts'
import type { ShownMandate } from '../mandates/service.ts'
import * as activity from './activity-store.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'
import { type AgentMost, monthEnd, mostOf, type Permission } from './exposure-rules.ts'

// What the agents of an owner have spent this month, and what they could still spend until it ends.

interface Sum {
  currency: string
  minor: bigint
}

export interface Exposure {
  until: Date
  /** By currency: what was spent, and what of it is held. */
  spent: (Sum & { heldMinor: bigint })[]
  /** By currency: the most that could be spent without a question to the owner. */
  most: Sum[]
  /** Those that could spend something, or have permissions. */
  agents: (AgentMost & { agent: Owned; mandates: ShownMandate[] })[]
}

export async function exposureOf(
  deps: OwnerDeps,
  { merchantId, customerId }: OwnerCaller,
  agents: readonly Owned[],
): Promise<Exposure> {
  const now = deps.clock.now()
  const [live, held] = await Promise.all([
    deps.mandates.listLive({ merchantId, customerId }),
    activity.listHeld(deps.pool, { merchantId, customerId, at: now }),
  ])
  const mandateIds = live.map(({ id }) => id)
  const allowances = await deps.escalations.listAllowances({ merchantId, customerId, mandateIds })
  const spenders = agents
    .filter(({ status }) => status === 'active')
    .map((agent) => {
      const mandates = live.filter(({ agentId, status }) => agentId === agent.id && status !== 'expired')
      const permissions = mandates.map((mandate) => permissionOf(mandate, allowances))
      return { ...mostOf(agent, permissions, now), agent, mandates }
    })
  return {
    until: monthEnd(now),
    spent: spentOf(agents, held),
    most: sumsOf(spenders.map(({ agent, mostMinor }) => ({ currency: agent.limits.currency, minor: mostMinor }))),
    agents: spenders.filter(({ permissions }) => permissions.length > 0),
  }
}

type Allowances = Awaited<ReturnType<OwnerDeps['escalations']['listAllowances']>>

function permissionOf(mandate: ShownMandate, { allowed, carriers }: Allowances): Permission {
  const { id, currency, frequency, approvedMinor, remainingMinor, activatedAt, validUntil, status } = mandate
  const { maxCharges, chargeCount, merchantScope, payeeUrl, createdAt } = mandate
  return {
    ...{ id, currency, frequency, validUntil, capMinor: approvedMinor, leftMinor: remainingMinor },
    activatedAt: activatedAt ?? createdAt,
    chargesLeft: maxCharges === null ? null : Math.max(0, maxCharges - chargeCount),
    host: merchantScope === 'any' ? null : new URL(payeeUrl).hostname,
    isPaused: status === 'paused',
    allowed: allowed.filter(({ mandateId }) => mandateId === id),
    isCarrier: carriers.has(id),
  }
}

function spentOf(agents: readonly Owned[], held: Awaited<ReturnType<typeof activity.listHeld>>): Exposure['spent'] {
  const sums = sumsOf(agents.map(({ limits, thisMonthMinor: minor }) => ({ currency: limits.currency, minor })))
  const holding = sumsOf(held.map(({ currency, amountMinor: minor }) => ({ currency, minor })))
  const heldIn = (currency: string) => holding.find((sum) => sum.currency === currency)?.minor ?? 0n
  return sums.map((sum) => ({ ...sum, heldMinor: heldIn(sum.currency) }))
}

/** By currency, without those that come to nothing. */
function sumsOf(amounts: readonly Sum[]): Sum[] {
  const sums = new Map<string, bigint>()
  for (const { currency, minor } of amounts) sums.set(currency, (sums.get(currency) ?? 0n) + minor)
  return [...sums].filter(([, minor]) => minor > 0n).map(([currency, minor]) => ({ currency, minor }))
}
