import type { PoolClient } from 'pg'
import { type Answer, Execution, Together, wireValue } from '../apps/server/src/db/prepared.ts'

/** What a journey sent to the database, as `processes/record-statements.ts` leaves it. */
export interface RecordedStatement {
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
  /** Sent together with the one before, and waited for once. */
  readonly isWithLast: boolean
  /** Sent so, and a transaction of its own, with others of which the same is said. */
  readonly isBehind: boolean
  /** What it was told of leases. */
  readonly fences: string[]
}

const MAX_MILLIS = 10_000
const FENCE = 'lease_fence'

/** The fences in the rows of an answer: PostgreSQL draws them, so each database has its own. */
export function fencesIn({ columns, rows }: Pick<Answer, 'columns' | 'rows'>): string[] {
  const place = columns.findIndex(({ name }) => name === FENCE)
  return place < 0 ? [] : rows.map((row) => String(row[place]))
}

/** A journey's statements, those in one list that were sent together. */
export function sentTogether(journey: readonly RecordedStatement[]): RecordedStatement[][] {
  const sent: RecordedStatement[][] = []
  for (const statement of journey) {
    if (statement.isWithLast) sent.at(-1)?.push(statement)
    else sent.push([statement])
  }
  return sent
}

/**
 * Plays one journey back. As the service sends it: by name, with values in their text form, and together what it sends together. A fence
 * that the service was told is taken for the one that this database tells: with the recorded one, whatever holds a lease would find no row.
 *
 * @returns plays the next statements of the journey, which are sent together
 */
export function createReplay(client: PoolClient) {
  const fences = new Map<string, string>()
  const execution = ({ name = '', text, values }: RecordedStatement) => {
    const bound = values.map((value) => (typeof value === 'string' ? fences.get(value) : undefined) ?? wireValue(value))
    return new Execution({ name, text }, bound, MAX_MILLIS)
  }
  return async (sent: readonly RecordedStatement[]): Promise<void> => {
    const [first] = sent
    if (first?.name === undefined) {
      if (first !== undefined) await client.query(first.text, first.values)
      return
    }
    const executions = sent.map(execution)
    const behind = new Together(executions.filter((_, place) => sent[place]?.isBehind))
    const together = new Together(executions.slice(0, executions.length - behind.executions.length))
    const isAlone = behind.executions.length === 0
    if (!isAlone) together.takeAlong(behind)
    // The driver's types know texts only.
    client.query(together as never)
    if (!isAlone) client.query(behind as never)
    for (const [place, { fences: recorded }] of sent.entries()) {
      const told = fencesIn((await executions[place]?.answer()) ?? NOTHING)
      for (const [row, fence] of told.entries()) if (recorded[row] !== undefined) fences.set(recorded[row], fence)
    }
  }
}
const NOTHING = { columns: [], rows: [] }

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
