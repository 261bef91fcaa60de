import type { Pool } from 'pg'
import type { Clock } from '../platform/clock.ts'
import { row, statement } from './statement.ts'

const read = statement<{ database_now: Date; offset_seconds: bigint }>(
  'clock.read',
  'select clock_timestamp() as database_now, offset_seconds from sandbox_clock',
)

const advance = statement<{ database_now: Date; offset_seconds: bigint }>(
  'clock.advance',
  `update sandbox_clock set offset_seconds = offset_seconds + $1
   returning clock_timestamp() as database_now, offset_seconds`,
)

const REFRESH_MILLIS = 1000

/**
 * The database's time, moved by the sandbox's offset. All nodes agree on it whatever their own clocks say: it is read
 * from the database once a second and carried on by the monotonic timer in between, so that a wall clock that jumps
 * moves no expiry. While the database is away it simply runs on.
 */
export interface DatabaseClock extends Clock {
  /** Moves the environment's time forward: at once here, within a second on every other process. */
  advance(seconds: number): Promise<Date>
  stop(): void
}

export async function startDatabaseClock(pool: Pool): Promise<DatabaseClock> {
  let base = 0
  let readAt = 0
  let offset = 0n
  const set = (values: { database_now: Date; offset_seconds: bigint } | undefined) => {
    // The offset only grows. A smaller one was read before an advance whose answer overtook it: taking it would turn the
    // clock back until the next reading.
    if (values === undefined || values.offset_seconds < offset) return
    offset = values.offset_seconds
    base = values.database_now.getTime() + Number(values.offset_seconds) * 1000
    readAt = performance.now()
  }
  set(await row(pool, read))
  const timer = setInterval(() => {
    // A missed reading is made good by the next one; the clock goes on without it.
    row(pool, read).then(set, () => undefined)
  }, REFRESH_MILLIS)
  timer.unref()
  const now = () => new Date(base + (performance.now() - readAt))
  return {
    now,
    async advance(seconds) {
      set(await row(pool, advance, [seconds]))
      return now()
    },
    stop: () => clearInterval(timer),
  }
}
