import type { LIMIT_KINDS } from '@mintmark/contract/agents'
import { isWithin } from '@mintmark/contract/limits'
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { minorFromAmount } from '../platform/money.ts'

// What an owner allows an agent, where one charge is judged. What adds up is judged by the statement that opens the
// charge (`fragments.ts`); the rest is decided here, before it.

/** What a limit limits. */
export type LimitKind = (typeof LIMIT_KINDS)[number]

interface Asked {
  amountMinor: bigint
  currency: string
  payeeUrl: string
}

/** The values by which a charge of an agent is judged (`LIMITS_REACHED`). */
export function judging(limits: AgentLimits, asked: Asked, now: Date) {
  const { open, day, month, ask_above: askAbove } = limits
  return {
    /** The first limit that the charge itself does not keep. */
    agentLimit: brokenBy(limits, asked, now),
    openLimit: open,
    dayLimit: minorOrNull(day),
    monthLimit: minorOrNull(month),
    asksRepeats: limits.ask_repeats === true,
    asksFirst: askAbove !== null && asked.amountMinor > minorFromAmount(askAbove),
  }
}

function brokenBy(limits: AgentLimits, { amountMinor, currency, payeeUrl }: Asked, now: Date): LimitKind | null {
  const { charge, merchants, hours } = limits
  if (currency !== limits.currency) return 'currency'
  if (merchants !== null && !merchants.includes(new URL(payeeUrl).hostname)) return 'merchants'
  if (hours !== null && !isWithin(hours, timeIn(hours.zone, now))) return 'hours'
  return charge !== null && amountMinor > minorFromAmount(charge) ? 'charge' : null
}

const minorOrNull = (amount: string | null) => (amount === null ? null : minorFromAmount(amount))

const timeIn = (timeZone: string, now: Date) =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone }).format(now)

/** The next day, and the next month, of the calendar, UTC. */
export function renewalsAfter(now: Date): { day: Date; month: Date } {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  return { day: new Date(Date.UTC(year, month, day + 1)), month: new Date(Date.UTC(year, month + 1, 1)) }
}
