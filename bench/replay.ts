import type { PoolClient } from 'pg'
import { Execution, wireValue } from '../apps/server/src/db/prepared.ts'

/** What a journey sent to the database, as `processes/record-statements.ts` leaves it. */
export interface RecordedStatement {
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
  /** Sent together with the one before, and waited for once. */
  readonly isWithLast: boolean
  /** What it was told of leases. */
  readonly fences: string[]
}

const LONGEST_MILLIS = 10_000
const FENCE = 'lease_fence'

/** The fences in the rows of an answer: PostgreSQL draws them, so each database has its own. */
export function fencesIn({ columns, rows }: Awaited<ReturnType<Execution['answer']>>): string[] {
  const place = columns.findIndex(({ name }) => name === FENCE)
  return place < 0 ? [] : rows.map((row) => String(row[place]))
}

/**
 * Plays one journey back. As the service sends it: by name, and with values in their text form. A fence that the service was told is taken
 * for the one that this database tells: with the recorded one, whatever holds a lease would find no row.
 *
 * @returns plays the next statement; it says how many rows it changed or returned
 */
export function createReplay(client: PoolClient) {
  const fences = new Map<string, string>()
  return async ({ name, text, values, fences: recorded }: RecordedStatement): Promise<number> => {
    if (name === undefined) return (await client.query(text, values)).rowCount ?? 0
    const bound = values.map((value) => (typeof value === 'string' ? fences.get(value) : undefined) ?? wireValue(value))
    const execution = new Execution({ name, text }, bound, LONGEST_MILLIS)
    // The driver's types know texts only.
    client.query(execution as never)
    const answer = await execution.answer()
    for (const [place, fence] of fencesIn(answer).entries()) {
      const known = recorded[place]
      if (known !== undefined) fences.set(known, fence)
    }
    return answer.rowCount
  }
}

/** The tables that the first start left with rows stay. */
const KEPT = [
  'schema_migrations',
  'key_encryption_keys',
  'merchants',
  'session_allowances',
  'api_keys',
  'sandbox_clock',
]

/** A text that empties all other tables. */
export async function emptied(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') and tablename <> all($1)`,
    [KEPT],
  )
  return `truncate ${rows.map(({ name }) => name).join(', ')}`
}
