import type { RecurringFrequency, SetupFailure } from '@mintmark/contract'
import { type DeclineReason, isOfTheCard } from '../network/port.ts'
import { addMonths, windowAt } from '../network/windows.ts'
import { addSeconds } from '../platform/clock.ts'

/** What a one-time mandate has from its approval. */
const ONE_TIME_SECONDS = 7 * 24 * 60 * 60
/** The furthest end of a recurring mandate. */
const HORIZON_MONTHS = { weekly: 12, monthly: 24, yearly: 60 } as const satisfies Partial<
  Record<RecurringFrequency, number>
>

/** The end of a one-time mandate that is approved now. */
export function oneTimeEnd(approvedAt: Date): Date {
  return addSeconds(approvedAt, ONE_TIME_SECONDS)
}

/** The end that a recurring mandate gets which is asked for now: no further than the horizon, which is also the default. */
export function endOf(frequency: Exclude<RecurringFrequency, 'one_time'>, asked: Date | null, now: Date): Date {
  const horizon = addMonths(now, HORIZON_MONTHS[frequency])
  return asked === null || asked > horizon ? horizon : asked
}

/** What bounds a standing mandate that is not active. */
export interface AskedLimits {
  frequency: RecurringFrequency
  amountMinor: bigint
  maxCharges: number | null
  validUntil: Date
  /** It is active at some moment after this one. */
  createdAt: Date
}

/**
 * The most that can ever be charged: the cap for each window until the end, or for each charge where there are fewer. Windows
 * begin with the activation, which is not known yet: after the approval a network may be silent for days. So it is the most of
 * all moments that it may fall on. A later one gives more of them only where its day is one that a month lacks, so the first
 * moments of such days are looked at.
 */
export function mostTotal({ frequency, amountMinor, maxCharges, validUntil, createdAt }: AskedLimits): bigint {
  if (frequency === 'one_time') return amountMinor
  const anchors = [createdAt, ...oddDaysAfter(createdAt)]
  const windows = Math.max(...anchors.map((anchor) => countWindows(frequency, anchor, validUntil)))
  return amountMinor * BigInt(maxCharges === null ? windows : Math.min(windows, maxCharges))
}

/** The days to come of the same month that other months lack. From those of a later month every window begins later, too. */
function oddDaysAfter(time: Date): Date[] {
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()]
  return [29, 30, 31]
    .map((day) => new Date(Date.UTC(year, month, day)))
    .filter((day) => day > time && day.getUTCMonth() === month)
}

function countWindows(frequency: RecurringFrequency, anchor: Date, end: Date): number {
  let count = 0
  for (let at: Date | null = anchor; at !== null && at < end; at = windowAt(frequency, anchor, at).endsAt) count += 1
  return Math.max(1, count)
}

/** What a merchant reads when the network refuses to register a mandate. */
export function refusalOf(reason: DeclineReason): SetupFailure {
  return isOfTheCard(reason) ? 'CARD_DECLINED' : 'PAYMENT_FAILED'
}
