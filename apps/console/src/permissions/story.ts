import type { ConsolePermission } from '@mintmark/contract/wire/console-permissions'
import type { StoryTone } from '../payments/story.ts'

/** How a permission stands, as far as what to do differs. */
export const STANDINGS = [
  ...['available', 'used_up', 'used_up_for_good', 'paid', 'paused', 'cancelled'],
  ...['expired', 'not_approved', 'pending', 'registering'],
] as const
export type Standing = (typeof STANDINGS)[number]

type Seen = Pick<
  ConsolePermission,
  'state' | 'status' | 'is_approved' | 'renews_at' | 'valid_until' | 'charge_count' | 'max_charges'
>

export function standingOf(seen: Seen): Standing {
  const { state, status, is_approved } = seen
  switch (state) {
    case 'consumed':
      if (status === 'consumed') return 'paid'
      return goesOn(seen) ? 'used_up' : 'used_up_for_good'
    case 'pending':
      return is_approved ? 'registering' : 'pending'
    case 'expired':
      return is_approved ? 'expired' : 'not_approved'
    default:
      return state
  }
}

/** Whether another window begins before its end, and another charge is allowed. */
export function goesOn({ renews_at, valid_until, charge_count, max_charges }: Seen): boolean {
  if (max_charges !== null && charge_count >= max_charges) return false
  return renews_at !== null && (valid_until === null || Date.parse(renews_at) < Date.parse(valid_until))
}

export const TONES: Readonly<Record<Standing, StoryTone>> = {
  available: 'good',
  used_up: 'warn',
  used_up_for_good: 'info',
  paid: 'good',
  paused: 'warn',
  cancelled: 'info',
  expired: 'info',
  not_approved: 'info',
  pending: 'info',
  registering: 'info',
}
