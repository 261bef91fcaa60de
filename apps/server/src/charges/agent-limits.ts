import { createHash } from 'node:crypto'
import type { CHARGE_LIMITS } from '@mintmark/contract/agents'
import { type AgentCaller, judging, renewalsAfter } from '../agents/service.ts'
import { canBeAsked } from '../escalations/service.ts'
import type { ShownMandate } from '../mandates/service.ts'
import { merchantHost } from '../network/merchant-host.ts'
import { canonicalJson } from '../platform/canonical-json.ts'
import { addSeconds } from '../platform/clock.ts'
import { amountFromMinor, minorFromAmount } from '../platform/money.ts'
import type { Limit } from './judge-fragments.ts'
import type { AgentJudged } from './judge-store.ts'
import type { MandatePlace } from './places.ts'
import type { PurchasedProduct } from './wire-purchase.ts'

// What is more to a charge where an agent makes it: the limits of its owner, and whether it repeats another one.

export type Charging = Pick<AgentCaller, 'agentId' | 'customerId' | 'limits'> & {
  /** The charge is carried by the mandate that the owner has made for it. */
  isCarried?: boolean
}

interface Asked {
  amountMinor: bigint
  reference: string | null
  payeeUrl: string | null
  products: PurchasedProduct[]
  merchantAllowed: boolean
}

/** How long ago a charge may have been made that a new one repeats. */
const ALIKE_SECONDS = 5 * 60

/** The values of `openOfAgent` beside those of every charge. */
export function agentValues(
  { agentId, customerId: ownerId, limits, isCarried = false }: Charging,
  mandate: MandatePlace,
  { amountMinor, reference, payeeUrl, products, merchantAllowed }: Asked,
  now: Date,
) {
  const { currency } = mandate
  const place = payeeUrl ?? mandate.payeeUrl
  const lines = products.map(({ name, unitPrice, quantity }) => ({ name, unitPrice, quantity }))
  const text = canonicalJson([merchantHost(place) ?? place, amountFromMinor(amountMinor), currency, lines])
  return {
    ...{ agentId, ownerId, limits },
    // Each charge has it, for one that comes after it. With a reference a charge says itself what it repeats, and is
    // asked about where its owner wants that.
    likeness: createHash('sha256').update(text).digest(),
    alikeSince: reference === null || limits.ask_repeats === true ? addSeconds(now, -ALIKE_SECONDS) : null,
    // An owner who is asked is told of it whatever they want.
    askedAlikeSince: addSeconds(now, -ALIKE_SECONDS),
    // What the owner has allowed is more than the limits do.
    ...{ isAllowed: isCarried, allowedId: null as string | null },
    isElsewhere: !merchantAllowed,
    ...judging(limits, { amountMinor, currency, payeeUrl: place }, now),
  }
}

export type AgentValues = ReturnType<typeof agentValues>

export type ChargeLimit = (typeof CHARGE_LIMITS)[number]

/** Why an agent's charge was refused, as far as it can do something about it. */
export interface LimitDetails {
  limit: ChargeLimit
  /** What can be charged, an amount or a number; null where it is no question of how much. */
  left: string | null
  renewsAt: Date | null
  /** The owner can be asked to allow it. */
  canAsk: boolean
}

/** `mandate`: as it is after the refusal. */
export function limitDetails(
  values: AgentValues,
  mandate: ShownMandate,
  judged: AgentJudged,
  failure: Limit,
  now: Date,
): LimitDetails {
  const told = limitLeft(values, mandate, judged, failure, now)
  return { ...told, canAsk: canBeAsked(told.limit) && !values.isAllowed }
}

function limitLeft(
  { limits, isElsewhere }: AgentValues,
  mandate: ShownMandate,
  { reached, openCount, todayMinor, thisMonthMinor }: AgentJudged,
  failure: Limit,
  now: Date,
): Omit<LimitDetails, 'canAsk'> {
  if (isElsewhere) return { limit: 'shop', left: null, renewsAt: null }
  if (failure === 'THRESHOLD_EXCEEDED') {
    return { limit: 'mandate', left: amountFromMinor(mandate.remainingMinor), renewsAt: mandate.renewsAt }
  }
  if (failure === 'MAX_CHARGES_EXCEEDED') return { limit: 'max_charges', left: '0', renewsAt: null }
  const renews = renewalsAfter(now)
  switch (reached) {
    case 'day':
      return { limit: reached, left: leftOf(limits.day, todayMinor), renewsAt: renews.day }
    case 'month':
      return { limit: reached, left: leftOf(limits.month, thisMonthMinor), renewsAt: renews.month }
    case 'open':
      return { limit: reached, left: String(Math.max(0, (limits.open ?? 0) - (openCount ?? 0))), renewsAt: null }
    case 'charge':
      return { limit: reached, left: limits.charge, renewsAt: null }
    case 'ask_above':
      return { limit: reached, left: limits.ask_above, renewsAt: null }
    case 'ask_repeats':
    case 'currency':
    case 'merchants':
    case 'hours':
      return { limit: reached, left: null, renewsAt: null }
    case null:
      throw new Error('A charge was refused for a limit that it keeps.')
  }
}

function leftOf(limit: string | null, takenMinor: bigint | null): string {
  const left = minorFromAmount(limit ?? '0') - (takenMinor ?? 0n)
  return amountFromMinor(left > 0n ? left : 0n)
}
