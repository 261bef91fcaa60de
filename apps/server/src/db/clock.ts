import type { Pool } from 'pg'
import type { Clock } from '../platform/clock.ts'
import { single } from './command.ts'
import { bigint, nullable, type RowOf, time } from './row.ts'
import { one } from './statement.ts'

/** How the deployment stands since a restore. */
const RESTORED = { closedSince: nullable(time), agentsHeldSince: nullable(time), signaturesSince: nullable(time) }
const READING = { databaseNow: time, offsetSeconds: bigint, ...RESTORED }
type Reading = RowOf<typeof READING>

const COLUMNS = `clock_timestamp() as database_now, offset_seconds, (select closed_since from restored),
  (select agents_held_since from restored), (select signatures_since from restored)` as const

const findReading = one('clock.find', `select ${COLUMNS} from sandbox_clock`, READING)

/** None: all moves together, those of other processes included, would lead beyond `$most`. */
const updateOffset = one(
  'clock.update_offset',
  `update sandbox_clock set offset_seconds = offset_seconds + $seconds where offset_seconds + $seconds <= $most
   returning ${COLUMNS}`,
  READING,
)

const REFRESH_MILLIS = 1000
/** After some year dates cannot be written any more, and the clock never goes back: a sandbox there would be unusable for good. */
const LATEST = new Date('2200-01-01T00:00:00.000Z')

/** A move would lead past the end of time; the clock is where it was. */
export class EndOfTimeError extends Error {
  override readonly name = 'EndOfTimeError'
}

/**
 * The database's time, moved by the sandbox's offset. All nodes agree on it even when their own clocks do not: it is read
 * from the database once a second and carried on by the monotonic timer in between, so that a wall clock that jumps
 * moves no expiry. While the database is away it simply runs on.
 */
export interface DatabaseClock extends Clock {
  /** Moves the environment's time forward: immediately here, within a second on every other process. Throws `EndOfTimeError`. */
  advance(seconds: number): Promise<Date>
  /** Reads the database's time now, because the clock is said to have moved. */
  refresh(): Promise<void>
  /**
   * Since when the deployment is closed to callers, after a restore; null: it is open. It is read along with the time, so that every process
   * knows it within a second and no request asks.
   */
  closedSince(): Date | null
  /** Since when agents are held after a restore, until the operator has looked at them; null: they are let in. Read along as well. */
  agentsHeldSince(): Date | null
  /** What an agent has signed before this moment is not taken: a restore has forgotten what was used. Null: there was none. Read along as well. */
  signaturesSince(): Date | null
  /** Calls back each time a reading shows that the clock was moved, here or elsewhere. */
  onMoved(listener: () => void): void
  stop(): void
}

export async function startDatabaseClock(pool: Pool): Promise<DatabaseClock> {
  let base: number | undefined
  let readAt = 0
  let offset = 0n
  let restored: RowOf<typeof RESTORED> = { closedSince: null, agentsHeldSince: null, signaturesSince: null }
  let toldAt = 0
  const listeners: (() => void)[] = []
  const carried = (at: number) => (base ?? 0) + (at - readAt)
  /**
   * A reading is of some moment between question and answer: now it is that moment, or later by as long as both took. A clock that runs in
   * between is left as it is. Taken for a reading of now, one that a busy machine or a silent line kept would set the clock back, and what
   * is made next would seem to be older than what was made before.
   */
  const carryOn = (earliest: number, askedAt: number) => {
    const answeredAt = performance.now()
    const latest = earliest + (answeredAt - askedAt)
    base = base === undefined ? earliest : Math.min(Math.max(carried(answeredAt), earliest), latest)
    readAt = answeredAt
  }
  const set = (reading: Reading | undefined, askedAt: number) => {
    // The offset only grows. A smaller one was read before an advance whose answer overtook it: taking it would turn the
    // clock back until the next reading.
    if (reading === undefined || reading.offsetSeconds < offset) return
    const moved = reading.offsetSeconds > offset
    offset = reading.offsetSeconds
    // An answer that was asked for later knows better. What an overtaken answer says of the door may be over, however the clock stands.
    if (askedAt >= toldAt) {
      restored = reading
      toldAt = askedAt
    }
    carryOn(reading.databaseNow.getTime(), askedAt)
    if (moved) for (const listener of listeners) listener()
  }
  const read = async () => {
    const askedAt = performance.now()
    set(await findReading(pool), askedAt)
  }
  await read()
  const timer = setInterval(() => {
    // The next reading corrects what a missed one left; the clock goes on without it.
    read().catch(() => undefined)
  }, REFRESH_MILLIS)
  timer.unref()
  const unmoved = () => new Date(carried(performance.now()))
  const now = () => new Date(unmoved().getTime() + Number(offset) * 1000)
  const change = { name: 'clock.advance', silent: 'operator' } as const
  return {
    now,
    unmoved,
    async advance(seconds) {
      const most = Math.floor((LATEST.getTime() - unmoved().getTime()) / 1000)
      const askedAt = performance.now()
      const moved = await single({ pool, clock: { now } }, change, ({ on }) => updateOffset(on, { seconds, most }))
      if (moved === undefined) throw new EndOfTimeError()
      set(moved, askedAt)
      return now()
    },
    refresh: read,
    closedSince: () => restored.closedSince,
    agentsHeldSince: () => restored.agentsHeldSince,
    signaturesSince: () => restored.signaturesSince,
    onMoved(listener) {
      listeners.push(listener)
    },
    stop: () => clearInterval(timer),
  }
}
