import type { DeclineReason } from '../network/port.ts'

/** A card that was begun, and left for this long, is ended. */
export const ABANDONED_AFTER_SECONDS = 24 * 3600

/** What the cardholder can mend, by typing again or by waiting for another code. */
const MENDABLE: ReadonlySet<DeclineReason> = new Set([
  'CARD_NUMBER_INVALID',
  'CARD_EXPIRED',
  'CVV_MISMATCH',
  'STEP_UP_EXHAUSTED',
  'DEVICE_BINDING_FAILED',
])

/** One reason for all that the cardholder cannot mend: which it was helps only who tries stolen numbers. */
export function publicReason(reason: DeclineReason): DeclineReason {
  return MENDABLE.has(reason) ? reason : 'CARD_DECLINED'
}
