import { type RecurringFrequency, ZERO_DECIMAL_CURRENCIES } from '@mintmark/contract'
import { isWithin } from '@mintmark/contract/limits'
import type { AgentLimits } from '@mintmark/contract/wire/agents'
import { windowAt } from '../network/windows.ts'
import { minorFromAmount } from '../platform/money.ts'
import { createNet, ENDLESS } from './flow-rules.ts'
import { type Cell, mostOfFewCharges } from './piece-rules.ts'

// What one agent could still spend until the month ends, at most, if it charged as cleverly as it can and its owner
// were not asked again. Several permissions with few charges left share a day as if a charge could be divided: then it
// can be less than what is said here, never more.

/** A permission as it stands. */
export interface Permission {
  id: string
  currency: string
  frequency: RecurringFrequency
  /** The cap of a window. */
  capMinor: bigint
  /** What is left of it in the window that lasts. */
  leftMinor: bigint
  activatedAt: Date
  validUntil: Date
  /** Null: as many as the cap allows. */
  chargesLeft: number | null
  /** The one shop that it is for; null: any. */
  host: string | null
  isPaused: boolean
  /** Charges that the owner has allowed beyond the agent's limits, which are not made yet. */
  allowed: readonly { amountMinor: bigint; goodUntil: Date }[]
  /** The owner has made it for one charge, beyond the agent's limits. */
  isCarrier: boolean
}

/** An agent, with what it has taken of its limits. */
export interface Spender {
  limits: AgentLimits
  todayMinor: bigint
  thisMonthMinor: bigint
}

/** Why an agent cannot use a permission at all. */
export type Barrier = 'paused' | 'currency' | 'merchants' | 'hours' | 'asks'

export interface PermissionMost {
  id: string
  /** By the permission itself, whatever the agent's limits are. */
  mostMinor: bigint
  /** How often it begins anew until then. */
  renewals: number
  barrier: Barrier | null
}

export interface AgentMost {
  mostMinor: bigint
  /** What is left of each limit until then; null: there is no such limit. */
  monthLeftMinor: bigint | null
  daysLeftMinor: bigint | null
  days: number
  /** The most of one charge that does not ask; null: no limit. */
  eachMinor: bigint | null
  /** What the owner has allowed beyond the limits is in `mostMinor`. */
  allowedMinor: bigint
  permissions: PermissionMost[]
}

interface Day {
  from: Date
  to: Date
  most: bigint
}

interface Window {
  from: Date
  to: Date
  left: bigint
}

export const monthEnd = (now: Date) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))

export function mostOf(spender: Spender, permissions: readonly Permission[], now: Date): AgentMost {
  const { limits } = spender
  const whole = (minor: bigint) => (ZERO_DECIMAL_CURRENCIES.has(limits.currency) ? minor - (minor % 100n) : minor)
  const each = eachOf(limits, whole)
  const days = daysOf(spender, now, whole)
  const monthLeft = limits.month === null ? null : whole(positive(minor(limits.month) - spender.thisMonthMinor))
  const net = createNet()
  const dayNodes = days.map(({ most }) => {
    const node = net.addNode()
    net.connect(node, net.sink, most)
    return node
  })
  let allowedMinor = 0n
  const stood = permissions.map((permission) => {
    const { windows, taken, renewals } = withoutAllowed(windowsOf(permission, now, whole), permission, now)
    const mostMinor = taken.reduce(
      (sum, amount) => sum + amount,
      windows.reduce((sum, { left }) => sum + left, 0n),
    )
    const cells = windows.map((window) => cellsOf(window, days, limits))
    const barrier = barrierOf(permission, limits, { each, isEver: cells.some((list) => list.length > 0) })
    const stands = { id: permission.id, mostMinor, renewals, barrier }
    if (permission.isPaused) return stands
    if (permission.isCarrier) {
      allowedMinor += permission.leftMinor
      return { ...stands, barrier: null }
    }
    allowedMinor += taken.reduce((sum, amount) => sum + amount, 0n)
    if (barrier !== null) return stands
    const count = permission.chargesLeft === null ? null : permission.chargesLeft - taken.length
    const most = count === null ? ENDLESS : mostOfFewCharges({ cells, windows, days, each, count })
    const node = net.addNode()
    net.connect(net.source, node, most)
    windows.forEach(({ left }, place) => {
      const window = net.addNode()
      net.connect(node, window, left)
      for (const day of cells[place] ?? []) net.connect(window, dayNodes[day] as number, ENDLESS)
    })
    return stands
  })
  const flow = net.most()
  const within = monthLeft !== null && monthLeft < flow ? monthLeft : flow
  return {
    mostMinor: within + allowedMinor,
    monthLeftMinor: monthLeft,
    daysLeftMinor: limits.day === null ? null : days.reduce((sum, { most }) => sum + most, 0n),
    days: days.length,
    ...{ eachMinor: each, allowedMinor, permissions: stood },
  }
}

const minor = minorFromAmount
const positive = (amount: bigint) => (amount > 0n ? amount : 0n)

function eachOf({ charge, ask_above: askAbove }: AgentLimits, whole: (minor: bigint) => bigint): bigint | null {
  const given = [charge, askAbove].flatMap((limit) => (limit === null ? [] : [whole(minor(limit))]))
  return given.length === 0 ? null : given.reduce((least, limit) => (limit < least ? limit : least))
}

/** The days that are left of the month, UTC, and what each allows. */
function daysOf({ limits, todayMinor }: Spender, now: Date, whole: (minor: bigint) => bigint): Day[] {
  const days: Day[] = []
  const end = monthEnd(now)
  for (let from = now; from < end; ) {
    const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate() + 1))
    const taken = days.length === 0 ? todayMinor : 0n
    days.push({ from, to, most: limits.day === null ? ENDLESS : whole(positive(minor(limits.day) - taken)) })
    from = to
  }
  return days
}

/** The windows of a permission until the month ends. */
function windowsOf(permission: Permission, now: Date, whole: (minor: bigint) => bigint): Window[] {
  const { frequency, activatedAt, validUntil, capMinor, leftMinor } = permission
  const end = new Date(Math.min(Number(monthEnd(now)), Number(validUntil)))
  const windows: Window[] = []
  for (let from = now; from < end; ) {
    const { endsAt } = windowAt(frequency, activatedAt, from)
    const to = endsAt === null || endsAt > end ? end : endsAt
    windows.push({ from, to, left: whole(windows.length === 0 ? leftMinor : capMinor) })
    from = to
  }
  return windows
}

/** What was allowed takes of the first window that holds all of it, and of no limit of the agent. */
function withoutAllowed(windows: Window[], { allowed, isPaused }: Permission, now: Date) {
  const taken: bigint[] = []
  const rest = windows.map((window) => ({ ...window }))
  for (const { amountMinor, goodUntil } of isPaused ? [] : allowed) {
    const window = rest.find(({ from, left }) => left >= amountMinor && from < goodUntil && goodUntil > now)
    if (window === undefined) continue
    window.left -= amountMinor
    taken.push(amountMinor)
  }
  return { windows: rest, taken, renewals: Math.max(0, windows.length - 1) }
}

/** The places of the days in which a window can be used. */
function cellsOf(window: Window, days: readonly Day[], { hours }: AgentLimits): Cell[] {
  return days.flatMap((day, place) => {
    const from = window.from > day.from ? window.from : day.from
    const to = window.to < day.to ? window.to : day.to
    return from < to && isEverWithin(hours, from, to) ? [place] : []
  })
}

const MINUTE = 60_000

/** Whether the hours have a moment between two times: at the first one, or when they begin the next time. */
function isEverWithin(hours: AgentLimits['hours'], from: Date, to: Date): boolean {
  if (hours === null || isWithin(hours, timeIn(hours.zone, from))) return true
  const wait = (minutesOf(hours.from) - minutesOf(timeIn(hours.zone, from)) + 24 * 60) % (24 * 60)
  const begins = Math.floor(Number(from) / MINUTE) * MINUTE + wait * MINUTE
  return begins < Number(to)
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
const timeIn = (timeZone: string, at: Date) =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone }).format(at)

function barrierOf(
  { isPaused, currency, host }: Permission,
  limits: AgentLimits,
  { each, isEver }: { each: bigint | null; isEver: boolean },
): Barrier | null {
  if (isPaused) return 'paused'
  if (currency !== limits.currency) return 'currency'
  if (host !== null && limits.merchants !== null && !limits.merchants.includes(host)) return 'merchants'
  if (!isEver) return 'hours'
  return each === 0n ? 'asks' : null
}
