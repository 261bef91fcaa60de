import type { Pool } from 'pg'
import type { Job } from '../jobs/loop.ts'
import { addSeconds, type Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { look, type Page, startOf, TABLE_COUNT } from './verify.ts'

interface LookDeps {
  pool: Pool
  clock: Clock
  log: Log
  /** Called with each look at rows of a table that found some which contradict themselves. */
  onFound(table: string, count: number): void
}

/** What one run takes: a bounded share of the database's time, however many rows there are and however many merchants have them. */
const MAX_ROWS = 1_000
const MAX_PAGES = 20
const PAUSE_SECONDS = 2
const HOUR_MILLIS = 60 * 60 * 1000

/**
 * Looks at all rows again and again, some at a time, and rests between two rounds. Where it stands is known to this process alone; it begins
 * at any of the tables, so that of processes that are started often one comes to each.
 */
export function rowJob(deps: LookDeps, random: () => number = Math.random): Job {
  const begin = Math.floor(random() * TABLE_COUNT)
  let place = startOf(begin)
  return {
    name: 'rows.look',
    restMillis: HOUR_MILLIS,
    async run() {
      let rows = 0
      for (let pages = 0; rows < MAX_ROWS && pages < MAX_PAGES; pages += 1) {
        const page = await look(deps, place, MAX_ROWS - rows)
        place = page.next
        rows += page.rows
        tell(deps, page)
        if (place.table === begin && place.merchantId === null) return { taken: 0, nextDueAt: null }
      }
      return { taken: 0, nextDueAt: addSeconds(deps.clock.now(), PAUSE_SECONDS) }
    },
  }
}

/** One line a page: where the program is at fault, all rows may be. */
function tell({ log, onFound }: LookDeps, { table, contradictions }: Page): void {
  const [first] = contradictions
  if (first === undefined) return
  const count = new Set(contradictions.map(({ row }) => row)).size
  onFound(table, count)
  log.error('a row contradicts itself: mintmark rows verify says which, and why', {
    ...{ alarm: 'row_contradicts', table, merchant_id: first.merchantId, row_id: first.row, count },
  })
}
