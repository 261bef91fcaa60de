import type { PoolLimits } from '../pool.ts'

/** Longer than a test has. */
const FOREVER_MILLIS = 600_000

/** For tests that are about something else than how long a caller waits: a busy machine ends none of their waits. */
export const PATIENT_LIMITS: PoolLimits = {
  connect: FOREVER_MILLIS,
  lock: FOREVER_MILLIS,
  statement: FOREVER_MILLIS,
  query: FOREVER_MILLIS,
  idleInTransaction: FOREVER_MILLIS,
}
