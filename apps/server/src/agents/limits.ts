import type { LIMIT_KINDS } from '@mintmark/contract/agents'
import { isWithin } from '@mintmark/contract/limits'
import { madeOnce } from '@mintmark/contract/made-once'
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { type ErrorDetails, fieldErrors } from '../platform/errors.ts'
import { valueAt } from '../platform/json.ts'
import { minorFromAmount } from '../platform/money.ts'

// What an owner allows an agent, where one charge is judged. What adds up is judged by the statement that takes of it (`take-store.ts`); the
// rest is decided here, before it.

/** What a limit limits. */
export type LimitKind = (typeof LIMIT_KINDS)[number]

interface Asked {
  amountMinor: bigint
  currency: string
  payeeUrl: string
}

/** The values by which a charge of an agent is judged (`take`, `reachedBy`). */
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
  if (hours !== null && !isOpen(hours, now)) return 'hours'
  return charge !== null && amountMinor > minorFromAmount(charge) ? 'charge' : null
}

/** Where the clock is not known, nothing is allowed: limits that were made before zones were looked at still refuse in words. */
function isOpen(hours: Hours, now: Date): boolean {
  const time = timeIn(hours.zone, now)
  return time !== null && isWithin(hours, time)
}

const minorOrNull = (amount: string | null) => (amount === null ? null : minorFromAmount(amount))

/** The next day and month of the calendar (UTC), and when the owner's hours begin next: null where none are set, or they are the whole day. */
export interface Renewals {
  day: Date
  month: Date
  hours: Date | null
}

export function renewalsAfter({ hours }: Pick<AgentLimits, 'hours'>, now: Date): Renewals {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  return {
    day: new Date(Date.UTC(year, month, day + 1)),
    month: new Date(Date.UTC(year, month + 1, 1)),
    hours: hours === null ? null : beginningAfter(hours, now),
  }
}

type Hours = NonNullable<AgentLimits['hours']>

/** As a person or a model reads them. */
export const hoursWords = ({ from, to, zone }: Hours): string => `${from} to ${to}, ${zone}`

const MINUTE = 60_000
const DAY_MINUTES = 24 * 60
/** Longer than any two days in a row, also where the clocks go back between them. */
const SEARCHED_MINUTES = 3 * DAY_MINUTES

function beginningAfter(hours: Hours, now: Date): Date | null {
  const clock = clockIn(hours.zone)
  if (clock === null || hours.from === hours.to) return null
  const begun = Math.floor(now.getTime() / MINUTE) * MINUTE
  const after = (minutes: number) => new Date(begun + minutes * MINUTE)
  const next = after(minutesBetween(clock(now), hours.from))
  if (clock(next) === hours.from) return next
  // The clocks are changed before then: the hour may come sooner, later, twice, or on that day not at all.
  let wasWithin = isWithin(hours, clock(now))
  for (let minutes = 1; minutes <= SEARCHED_MINUTES; minutes++) {
    const isNowWithin = isWithin(hours, clock(after(minutes)))
    if (isNowWithin && !wasWithin) return after(minutes)
    wasWithin = isNowWithin
  }
  return null
}

/** From one time of the day to the next time that it is the other one: 1 to 1,440 minutes. */
function minutesBetween(from: string, to: string): number {
  const [start, end] = [from, to].map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)))
  return (((end ?? 0) - (start ?? 0) + DAY_MINUTES - 1) % DAY_MINUTES) + 1
}

/** The time of the day there, `HH:MM`; null where no such place is known. */
export function timeIn(zone: string, now: Date): string | null {
  return clockIn(zone)?.(now) ?? null
}

function clockIn(timeZone: string): ((at: Date) => string) | null {
  try {
    const format = clockFormat(timeZone)
    return (at) => format.format(at)
  } catch {
    return null
  }
}

const clockFormat = madeOnce(
  (timeZone: string) => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone }),
)

const HOST = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Limits that have the right form and can never be kept: a zone that is none, a host that no shop has. `prefix` begins their paths. */
export function limitProblems(limits: unknown, prefix: string): ErrorDetails {
  const zone = valueAt(valueAt(limits, 'hours'), 'zone')
  const merchants = valueAt(limits, 'merchants')
  const hosts = Array.isArray(merchants) ? merchants : []
  const isBad = (host: unknown) => typeof host === 'string' && !HOST.test(host)
  const wrong = hosts.flatMap((host, place) => (isBad(host) ? [`${prefix}merchants.${place}`] : []))
  const isNowhere = typeof zone === 'string' && clockIn(zone) === null
  return {
    ...(isNowhere && { [`${prefix}hours.zone`]: 'must be the name of a time zone, such as Europe/Berlin' }),
    ...Object.fromEntries(wrong.map((path) => [path, 'must be a host such as shop.example, in lower case'])),
  }
}

/** For whoever makes limits hold, whichever way they came: what can never be kept would refuse, or fail, each charge. */
export function checkLimits(limits: AgentLimits): void {
  const problems = limitProblems(limits, 'limits.')
  if (Object.keys(problems).length > 0) throw fieldErrors(problems)
}
