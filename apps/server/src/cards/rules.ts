import { addSeconds } from '../platform/clock.ts'

const ABANDONED_AFTER_SECONDS = 24 * 3600

/** When a card that was begun at this time, and left, is ended. */
export function abandonedAt(begunAt: Date): Date {
  return addSeconds(begunAt, ABANDONED_AFTER_SECONDS)
}
