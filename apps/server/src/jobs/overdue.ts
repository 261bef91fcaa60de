import type { Pool } from 'pg'
import { text } from '../db/row.ts'
import { many } from '../db/statement.ts'
import { backoffSeconds } from '../platform/backoff.ts'
import { addSeconds, type Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { declareFind, takeShares } from './due.ts'
import type { JobResult } from './loop.ts'

// What time alone ends, in one transaction and without a call outside, needs no row of open work and no lease: it is found
// by an index over its own table, and of several workers that take the same row one changes it. The others find it changed.

interface OverdueRow {
  merchantId: string
  id: string
}

interface OverdueSource {
  table: string
  /** The column that says since when, or from when on, the row has been waiting. */
  due: string
  /** Which rows wait. Both indexes over `due`, for all merchants and inside one, are narrowed by it. */
  where: string
  /** How long a row may wait after `due`. */
  afterSeconds?: number
}

interface OverdueDeps {
  pool: Pool
  clock: Clock
}

interface OverdueRows<Deps = OverdueDeps> {
  /** At most `limit` rows, shared fairly among the merchants that have any; none of `resting`. */
  list(deps: Deps, limit: number, resting: readonly string[]): Promise<{ rows: OverdueRow[]; nextDueAt: Date | null }>
}

/** Declares the rows of a table that time ends. `feature` names the statements. */
export function overdueRows(feature: string, { table, due, where, afterSeconds = 0 }: OverdueSource): OverdueRows {
  const find = declareFind({ name: feature, table, due, where, isLeased: false })
  const listOverdue = many(
    `${feature}.list_overdue`,
    // The >= changes no result; it makes the planner prefer the index inside the merchant. Some ids are UUIDs.
    `select id::text as id from ${table}
     where merchant_id = $merchantId and merchant_id >= $merchantId and ${where} and ${due} <= $before
       and id <> all ($resting) order by ${due} limit $limit`,
    { id: text },
  )
  return {
    async list({ pool, clock }, limit, resting) {
      const before = addSeconds(clock.now(), -afterSeconds)
      const { merchants, nextDueAt } = await find({ pool, clock: { now: () => before } }, limit)
      const rows: OverdueRow[] = []
      for (const [merchantId, share] of takeShares(merchants, limit)) {
        const found = await listOverdue(pool, { merchantId, before, resting, limit: share })
        rows.push(...found.map(({ id }) => ({ merchantId, id })))
      }
      return { rows, nextDueAt: nextDueAt === null ? null : addSeconds(nextDueAt, afterSeconds) }
    },
  }
}

/** Rows that could not be ended, with the time of the next try. Known to this process alone: another one learns it by itself. */
type Resting = Map<string, { until: Date; failures: number }>
/** More would mean that the database or the program is at fault, not the rows. */
const MAX_RESTING = 1_000

interface Ending<Deps> {
  name: string
  /** False when another worker, or a request, was first. */
  handle(deps: Deps, row: OverdueRow): Promise<boolean>
}

/**
 * Makes the round of a job: it takes overdue rows and ends them side by side. One that fails rests, each time longer, so that
 * it does not keep the others from their end.
 */
export function endOverdue<Deps extends OverdueDeps & { log: Log }>(
  overdue: OverdueRows<Deps>,
  { name, handle }: Ending<Deps>,
): (deps: Deps, limit: number) => Promise<JobResult> {
  const restingOf = new WeakMap<Pool, Resting>()
  return async (deps, limit) => {
    const resting = restingOf.get(deps.pool) ?? new Map()
    restingOf.set(deps.pool, resting)
    const now = deps.clock.now()
    const { rows, nextDueAt } = await overdue.list(deps, limit, asleep(resting, now))
    const end = async (row: OverdueRow) => {
      try {
        const ended = await handle(deps, row)
        resting.delete(row.id)
        return ended
      } catch (error) {
        const attempt = rest(resting, row.id, now)
        deps.log.failure('work failed', error, {
          ...{ job: name, merchant_id: row.merchantId, row_id: row.id, attempt },
        })
        return true
      }
    }
    const taken = (await Promise.all(rows.map(end))).filter((ended) => ended)
    // None, though some were due: another worker is at them.
    return { taken: taken.length, nextDueAt }
  }
}

function asleep(resting: Resting, now: Date): string[] {
  return [...resting].flatMap(([id, { until }]) => (until > now ? [id] : []))
}

/** Returns how often the row has failed. */
function rest(resting: Resting, id: string, now: Date): number {
  const failures = (resting.get(id)?.failures ?? 0) + 1
  if (resting.size >= MAX_RESTING) resting.clear()
  resting.set(id, { until: addSeconds(now, backoffSeconds(failures)), failures })
  return failures
}
