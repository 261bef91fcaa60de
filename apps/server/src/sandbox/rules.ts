import { addSeconds } from '../platform/clock.ts'
import { fieldErrors } from '../platform/errors.ts'

/**
 * After some year dates cannot be written any more, and the clock never goes back: the sandbox would be unusable for
 * good.
 */
const LATEST = new Date('2200-01-01T00:00:00.000Z')

export function rejectFarFuture(now: Date, seconds: number): void {
  if (addSeconds(now, seconds) > LATEST) throw fieldErrors({ seconds: 'must not lead past the year 2199' })
}
