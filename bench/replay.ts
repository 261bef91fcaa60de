import type { PoolClient } from 'pg'
import { Execution, wireValue } from '../apps/server/src/db/prepared.ts'

/** What a journey sent to the database, as `processes/record-statements.ts` leaves it. */
export interface RecordedStatement {
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
}

const LONGEST_MILLIS = 10_000

/** As the service sends it: by name, and with values in their text form. */
export async function replay(client: PoolClient, { name, text, values }: RecordedStatement): Promise<void> {
  if (name === undefined) {
    await client.query(text, values)
    return
  }
  const execution = new Execution({ name, text }, values.map(wireValue), LONGEST_MILLIS)
  // The driver's types know texts only.
  client.query(execution as never)
  await execution.answer()
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
