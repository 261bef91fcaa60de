import type { Queryable } from '../db/statement.ts'
import { RULES } from './rules.ts'
import { TABLES } from './store.ts'

/** A row that cannot be as it is. */
export interface Contradiction {
  table: string
  merchantId: string
  /** Its key behind the merchant, joined by `/`. */
  row: string
  /** The name of what does not hold of it, in `rules.ts`. */
  rule: string
  /** The same in words and SQL. */
  what: string
}

/** Behind this row of this merchant, in the table of that number. */
export interface Place {
  table: number
  /** Null: at the start of the table. */
  merchantId: string | null
  /** Null: the merchant is looked at to the end. */
  after: readonly string[] | null
}

export const TABLE_COUNT = TABLES.length
export const startOf = (table: number): Place => ({ table, merchantId: null, after: null })

export interface Page {
  table: string
  /** How many rows it had. */
  rows: number
  contradictions: Contradiction[]
  /** The start of the first table behind the last one. */
  next: Place
}

/**
 * Looks at the rows behind a place: at most `limit` rows of one merchant in one table. It locks nothing and may run at any time: a page is of
 * one moment, and what a rule says is of one row, or of one and of another that is never deleted before it.
 */
export async function look({ pool }: { pool: Queryable }, place: Place, limit: number): Promise<Page> {
  const questions = TABLES[place.table]
  if (questions === undefined) throw new RangeError(`There is no table ${place.table}.`)
  const { table, least, list } = questions
  const merchantId = place.after === null ? await nextMerchant(pool, questions, place.merchantId) : place.merchantId
  if (merchantId === null) {
    return { table, rows: 0, contradictions: [], next: startOf((place.table + 1) % TABLE_COUNT) }
  }
  const found = await list(pool, { merchantId, after: place.after ?? least, isFirst: place.after === null, limit })
  const rows = found.at(-1)?.place ?? 0
  const after = rows < limit ? null : (found.at(-1)?.key ?? null)
  const contradictions = found.flatMap(({ key, broken }) =>
    broken.map((rule) => ({ table, merchantId, row: key.join('/'), rule, what: wordsOf(table, rule) })),
  )
  return { table, rows, contradictions, next: { table: place.table, merchantId, after } }
}

async function nextMerchant(
  on: Queryable,
  { findNextMerchant }: (typeof TABLES)[number],
  after: string | null,
): Promise<string | null> {
  return (await findNextMerchant(on, { after: after ?? '', isFirst: after === null }))?.merchantId ?? null
}

function wordsOf(table: string, rule: string): string {
  const target = RULES[table]?.names[rule]
  if (target !== undefined) return `names a row of ${target} that is not there`
  return `not so: ${RULES[table]?.holds[rule]?.replaceAll(/\s+/g, ' ')}`
}

export interface Report {
  /** How many were looked at, by table. */
  rows: Record<string, number>
  contradictionCount: number
  /** How many there are, by table and rule. */
  counts: Record<string, number>
  /** The first ten of each rule. */
  contradictions: Contradiction[]
}

const PAGE = 1_000
const MAX_SHOWN = 10

/** Looks at every row of the tables that have rules. */
export async function verify(deps: { pool: Queryable }): Promise<Report> {
  const report: Report = { rows: {}, contradictionCount: 0, counts: {}, contradictions: [] }
  for (let table = 0; table < TABLE_COUNT; table += 1) {
    for (let place = startOf(table); place.table === table; ) {
      const page = await look(deps, place, PAGE)
      report.rows[page.table] = (report.rows[page.table] ?? 0) + page.rows
      for (const contradiction of page.contradictions) count(report, contradiction)
      place = page.next
    }
  }
  return report
}

function count(report: Report, contradiction: Contradiction): void {
  const name = `${contradiction.table}.${contradiction.rule}`
  const sum = (report.counts[name] ?? 0) + 1
  report.counts[name] = sum
  report.contradictionCount += 1
  if (sum <= MAX_SHOWN) report.contradictions.push(contradiction)
}
