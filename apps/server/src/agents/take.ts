import type { Change } from '../db/command.ts'
import type { judging, LimitKind } from './limits.ts'
import * as store from './take-store.ts'

// What a charge of an agent takes of the limits that its owner has set.

interface Taking extends ReturnType<typeof judging> {
  merchantId: string
  agentId: string
  amountMinor: bigint
  /** Its owner has allowed this one: no limit holds it up, and it counts as every other. */
  isAllowed: boolean
}

const NO_LIMITS = { openLimit: null, dayLimit: null, monthLimit: null }

/** Takes a charge of its agent's limits. False: they do not allow it. */
export async function take({ tx: on, at }: Change, charge: Taking): Promise<boolean> {
  const limits = charge.isAllowed ? NO_LIMITS : {}
  return (await store.take(on, { ...charge, ...limits, at })) !== undefined
}

/** Whether a charge keeps the limits that need no count. */
export function keepsItsOwn({ agentLimit, asksFirst, isAllowed }: Omit<Taking, 'merchantId' | 'amountMinor'>): boolean {
  return isAllowed || (agentLimit === null && !asksFirst)
}

/** The limit that a charge would pass, of what was taken by now; null: none. `repeats`: it is like another one of a moment ago. */
export function reachedBy(charge: Taking, spent: store.Spent, repeats: boolean): LimitKind | null {
  const { agentLimit, openLimit, dayLimit, monthLimit, amountMinor, asksFirst, asksRepeats } = charge
  if (charge.isAllowed) return null
  if (agentLimit !== null) return agentLimit
  if (openLimit !== null && spent.openCount >= openLimit) return 'open'
  if (dayLimit !== null && spent.todayMinor + amountMinor > dayLimit) return 'day'
  if (monthLimit !== null && spent.thisMonthMinor + amountMinor > monthLimit) return 'month'
  if (asksFirst) return 'ask_above'
  return asksRepeats && repeats ? 'ask_repeats' : null
}
