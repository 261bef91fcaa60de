import type { AgentLimits } from './wire/agents.ts'

// Whether other limits of an agent allow it more than those before: then its owner signs them with the passkey.

type LimitField = keyof AgentLimits
type Hours = AgentLimits['hours']

/**
 * Whether a time of the day, `HH:MM`, is in hours. They go on over midnight where they end before they begin; the same
 * minute twice is the whole day.
 */
export function isWithin({ from, to }: Pick<NonNullable<Hours>, 'from' | 'to'>, at: string): boolean {
  if (from === to) return true
  return from < to ? from <= at && at < to : from <= at || at < to
}

/** The fields that allow something that was not allowed before. None: an agent may do less, or the same. */
export function widenedBy(was: AgentLimits, to: AgentLimits): LimitField[] {
  const wider: Record<LimitField, boolean> = {
    // What is counted was counted in the other one.
    currency: to.currency !== was.currency,
    charge: isMore(was.charge, to.charge),
    day: isMore(was.day, to.day),
    month: isMore(was.month, to.month),
    open: isMore(was.open, to.open),
    merchants: was.merchants !== null && (to.merchants?.some((host) => was.merchants?.includes(host) !== true) ?? true),
    hours: isLonger(was.hours, to.hours),
    ask_above: isMore(was.ask_above, to.ask_above),
    ask_repeats: was.ask_repeats === true && to.ask_repeats !== true,
  }
  return fieldsOf(wider)
}

/** The fields that say something else. */
export function changedBy(was: AgentLimits, to: AgentLimits): LimitField[] {
  const differs: Record<LimitField, boolean> = {
    currency: to.currency !== was.currency,
    charge: amountOf(was.charge) !== amountOf(to.charge),
    day: amountOf(was.day) !== amountOf(to.day),
    month: amountOf(was.month) !== amountOf(to.month),
    open: was.open !== to.open,
    merchants: hostsOf(was) !== hostsOf(to),
    hours: hoursOf(was.hours) !== hoursOf(to.hours),
    ask_above: amountOf(was.ask_above) !== amountOf(to.ask_above),
    ask_repeats: (was.ask_repeats === true) !== (to.ask_repeats === true),
  }
  return fieldsOf(differs)
}

const fieldsOf = (marks: Record<LimitField, boolean>) =>
  (Object.keys(marks) as LimitField[]).filter((field) => marks[field])

/** Null: no limit. Amounts have two decimals at most, and fewer digits than a number is exact to. */
const amountOf = (limit: string | number | null) => (limit === null ? Number.POSITIVE_INFINITY : Number(limit))
const isMore = (was: string | number | null, to: string | number | null) => amountOf(to) > amountOf(was)

/**
 * Any minute of the day more. In another zone the same times are others, and move against each other over the year:
 * that is more.
 */
function isLonger(was: Hours, to: Hours): boolean {
  if (was === null || was.from === was.to) return false
  if (to === null || to.zone !== was.zone) return true
  return MINUTES.some((at) => isWithin(to, at) && !isWithin(was, at))
}

const two = (number: number) => String(number).padStart(2, '0')
const MINUTES = Array.from({ length: 24 * 60 }, (_, minute) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`)

const hostsOf = ({ merchants }: AgentLimits) => (merchants === null ? null : [...new Set(merchants)].sort().join(' '))
const hoursOf = (hours: Hours) => (hours === null ? null : `${hours.from} ${hours.to} ${hours.zone}`)
