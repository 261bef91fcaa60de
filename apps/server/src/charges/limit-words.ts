import type { RecurringFrequency } from '@mintmark/contract'
import { ESCALATION_MINUTES, MAX_ESCALATIONS } from '@mintmark/contract/agents'
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { hoursWords, timeIn } from '../agents/service.ts'
import type { ShownEscalation } from '../escalations/service.ts'
import type { ShownMandate } from '../mandates/service.ts'
import { merchantHost } from '../network/merchant-host.ts'
import { amountFromMinor } from '../platform/money.ts'
import type { ChargeLimit } from './agent.ts'

// Why an agent's charge was refused, in words: a model reads these, and asks its owner or waits by them. They never say more than the
// agent may read of its limits and its mandate.

interface Told {
  limits: AgentLimits
  mandate: ShownMandate
  /** Where the charge would be made. */
  placeUrl: string
  left: string | null
  renewsAt: Date | null
}

/** Which limit it is, what is left of it, and when there will be more. */
export function limitWords(limit: ChargeLimit, told: Told, now: Date): string {
  const { limits, mandate, placeUrl, left, renewsAt } = told
  const { currency } = limits
  const place = hostOf(placeUrl)
  switch (limit) {
    case 'currency':
      return `Your owner allows charges in ${currency} only, and this mandate is in ${mandate.currency}.`
    case 'merchants':
      return `Your owner allows ${shopsOf(limits)}, and this charge is for ${place}.`
    case 'hours':
      return openingWords(limits, renewsAt, now)
    case 'charge':
      return `Your owner allows ${amountOf(limits.charge, currency)} a charge.`
    case 'day':
      return `Your owner allows ${amountOf(limits.day, currency)} a day (UTC)${leftWords(left, currency, renewsAt)}.`
    case 'month':
      return `Your owner allows ${amountOf(limits.month, currency)} a calendar month (UTC)${leftWords(left, currency, renewsAt)}.`
    case 'open':
      return `Your owner allows ${limits.open ?? 'fewer'} open at once, and ${left ?? '0'} more can be opened now: report what became of one.`
    case 'ask_above':
      return `Your owner is asked first about a charge of more than ${amountOf(limits.ask_above, currency)}.`
    case 'ask_repeats':
      return 'Your owner is asked first about a charge that is like another of the last five minutes.'
    case 'mandate':
      return capWords(mandate, left, renewsAt)
    case 'max_charges':
      return mandate.maxCharges === 1
        ? 'The mandate allows one charge, and it was made.'
        : `The mandate allows ${mandate.maxCharges} charges, and all of them were made.`
    case 'shop':
      return `The mandate is for ${mandate.payeeName} (${hostOf(mandate.payeeUrl)}), and this charge is for ${place}.`
  }
}

const MAX_SHOPS = 10

function shopsOf({ merchants }: AgentLimits): string {
  if (merchants === null) return 'other shops'
  const more = merchants.length - MAX_SHOPS
  const named = merchants.slice(0, MAX_SHOPS).join(', ')
  return `these shops only: ${named}${more > 0 ? ` and ${more} more, which GET /v1/agents/me names` : ''}`
}

function openingWords({ hours }: AgentLimits, opensAt: Date | null, now: Date): string {
  if (hours === null) return 'Your owner allowed no charges at that time of the day.'
  const time = timeIn(hours.zone, now)
  const there = time === null ? '' : `, and it is ${time} there`
  const opens = opensAt === null ? '' : `: they open at ${opensAt.toISOString()}`
  return `Your owner allows charges from ${hoursWords(hours)}${there}${opens}.`
}

const WINDOWS: Record<RecurringFrequency, string> = {
  one_time: 'once',
  weekly: 'a week',
  monthly: 'a month',
  yearly: 'a year',
}

function capWords({ approvedMinor, currency, frequency }: ShownMandate, left: string | null, renewsAt: Date | null) {
  const cap = `${amountFromMinor(approvedMinor)} ${currency} ${WINDOWS[frequency]}`
  return `The mandate allows ${cap}${leftWords(left, currency, renewsAt)}.`
}

function leftWords(left: string | null, currency: string, renewsAt: Date | null): string {
  const until = renewsAt === null ? '' : `; it begins anew at ${renewsAt.toISOString()}`
  return left === null ? until : `, and ${left} ${currency} of it is left${until}`
}

/** The limit is none any more where its owner has changed it since the charge was refused. */
const amountOf = (limit: string | null, currency: string) => (limit === null ? 'less' : `${limit} ${currency}`)

const hostOf = (url: string) => merchantHost(url) ?? url

/** What comes of asking the owner, or why the owner is not asked. */
export type Asking =
  | { state: 'asked'; escalation: ShownEscalation }
  /** The owner has allowed it once, and it was made and came to nothing. */
  | { state: 'used' }
  | { state: 'no_reference' }
  | { state: 'too_many' }
  | { state: 'would_ask' }
  | { state: 'cannot' }

export function askingWords(asking: Asking): string {
  switch (asking.state) {
    case 'asked':
      return askedWords(asking.escalation)
    case 'used':
      return ' Your owner has allowed this reference once, and that charge came to nothing: another reference asks anew.'
    case 'no_reference':
      return ' Send it with a `reference`, and your owner is asked to allow it.'
    case 'too_many':
      return ` Your owner is not asked: ${MAX_ESCALATIONS} questions of yours wait already, which \`waiting\` of GET /v1/agents/me lists.`
    case 'would_ask':
      return ` Your owner would be asked, and have ${ESCALATION_MINUTES} minutes to answer.`
    case 'cannot':
      return ''
  }
}

function askedWords({ status, expiresAt }: ShownEscalation): string {
  if (status === 'pending') {
    return ` Your owner is asked, until ${expiresAt.toISOString()}: send the same charge again to see what came of it.`
  }
  // What was allowed and is this charge is made, and not refused.
  return status === 'allowed'
    ? ' By this reference your owner has allowed another amount or shop, or the time for it is over.'
    : ''
}
