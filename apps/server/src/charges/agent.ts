import { createHash } from 'node:crypto'
import type { CHARGE_LIMITS } from '@mintmark/contract/agents'
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { type AgentCaller, judging, renewalsAfter } from '../agents/service.ts'
import { canBeAsked } from '../escalations/service.ts'
import type { ShownMandate } from '../mandates/service.ts'
import { merchantHost } from '../network/merchant-host.ts'
import { canonicalJson } from '../platform/canonical-json.ts'
import { addSeconds } from '../platform/clock.ts'
import { amountFromMinor, minorFromAmount } from '../platform/money.ts'
import type { AgentJudged } from './judge.ts'
import { limitWords } from './limit-words.ts'
import type { Limit } from './open.ts'
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

/** What an agent's charge says beside what every one does. */
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
    // Every such charge has it, for one that comes after it. With a reference a charge says itself what it repeats, and is asked about where its
    // owner wants that.
    likeness: createHash('sha256').update(text).digest(),
    alikeSince: reference === null || limits.ask_repeats === true ? addSeconds(now, -ALIKE_SECONDS) : null,
    // An owner who is asked is told of it whatever they want.
    askedAlikeSince: addSeconds(now, -ALIKE_SECONDS),
    // What the owner has allowed is more than the limits do.
    ...{ isAllowed: isCarried, allowedId: null as string | null },
    isElsewhere: !merchantAllowed,
    placeUrl: place,
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
  /** When there will be more, or when the owner's hours begin. */
  renewsAt: Date | null
  /** The owner can be asked to allow it. */
  canAsk: boolean
  /** The same in words. */
  words: string
}

/** What a charge was refused for. */
export function limitOf({ isElsewhere }: AgentValues, { reached }: Partial<AgentJudged>, failure: Limit): ChargeLimit {
  if (isElsewhere) return 'shop'
  if (failure === 'THRESHOLD_EXCEEDED') return 'mandate'
  if (failure === 'MAX_CHARGES_EXCEEDED') return 'max_charges'
  if (reached === null || reached === undefined) throw new Error('A charge was refused for a limit that it keeps.')
  return reached
}

/** How a limit stands now. `mandate`: as it is after the refusal. */
export function limitDetails(
  limit: ChargeLimit,
  { limits, placeUrl, isAllowed }: AgentValues,
  mandate: ShownMandate,
  judged: Partial<AgentJudged>,
  now: Date,
): LimitDetails {
  const told = { left: leftOf(limit, limits, mandate, judged), renewsAt: renewalOf(limit, limits, mandate, now) }
  const words = limitWords(limit, { limits, mandate, placeUrl, ...told }, now)
  return { limit, ...told, canAsk: canBeAsked(limit) && !isAllowed, words }
}

function renewalOf(limit: ChargeLimit, limits: AgentLimits, { renewsAt }: ShownMandate, now: Date): Date | null {
  if (limit === 'mandate') return renewsAt
  return limit === 'day' || limit === 'month' || limit === 'hours' ? renewalsAfter(limits, now)[limit] : null
}

function leftOf(
  limit: ChargeLimit,
  limits: AgentLimits,
  mandate: ShownMandate,
  { openCount, todayMinor, thisMonthMinor }: Partial<AgentJudged>,
): string | null {
  switch (limit) {
    case 'day':
      return amountLeft(limits.day, todayMinor)
    case 'month':
      return amountLeft(limits.month, thisMonthMinor)
    case 'open':
      return limits.open === null ? null : String(Math.max(0, limits.open - (openCount ?? 0)))
    case 'charge':
      return limits.charge
    case 'ask_above':
      return limits.ask_above
    case 'mandate':
      return amountFromMinor(mandate.remainingMinor)
    case 'max_charges':
      return '0'
    case 'ask_repeats':
    case 'currency':
    case 'merchants':
    case 'hours':
    case 'shop':
      return null
  }
}

/** Null where the owner has taken the limit away since. */
function amountLeft(limit: string | null, takenMinor: bigint | null | undefined): string | null {
  if (limit === null) return null
  const left = minorFromAmount(limit) - (takenMinor ?? 0n)
  return amountFromMinor(left > 0n ? left : 0n)
}
