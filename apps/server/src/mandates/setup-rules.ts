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
  /** Its approval lies between these two. */
  createdAt: Date
  expiresAt: Date
}

/**
 * The most that can ever be charged: the cap for each window until the end, or for each charge where there are fewer. Windows
 * begin with the activation, which is not known yet; so it is the most of all days that it may fall on. A later moment gives
 * more of them only where its day is one that a month lacks, so the first moment of each day is looked at.
 */
export function mostTotal({
  frequency,
  amountMinor,
  maxCharges,
  validUntil,
  createdAt,
  expiresAt,
}: AskedLimits): bigint {
  if (frequency === 'one_time') return amountMinor
  const midnight = new Date(expiresAt)
  midnight.setUTCHours(0, 0, 0, 0)
  const anchors = midnight > createdAt ? [createdAt, midnight] : [createdAt]
  const windows = Math.max(...anchors.map((anchor) => countWindows(frequency, anchor, validUntil)))
  return amountMinor * BigInt(maxCharges === null ? windows : Math.min(windows, maxCharges))
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
