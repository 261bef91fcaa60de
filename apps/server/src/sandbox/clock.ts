import { type DatabaseClock, EndOfTimeError } from '../db/clock.ts'
import { fieldErrors } from '../platform/errors.ts'

/** Moves the time of a sandbox forward for all its callers, and returns what it is then. */
export async function advanceClock(clock: Pick<DatabaseClock, 'advance'>, seconds: number): Promise<{ now: string }> {
  const now = await clock.advance(seconds).catch((error: unknown) => {
    throw error instanceof EndOfTimeError ? fieldErrors({ seconds: 'must not lead past the year 2199' }) : error
  })
  return { now: now.toISOString() }
}
