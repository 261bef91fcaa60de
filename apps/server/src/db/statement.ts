import type { Pool, PoolClient, QueryResultRow } from 'pg'

/** What a statement runs on: the pool (a transaction of its own) or an open transaction. */
export type Queryable = Pick<Pool | PoolClient, 'query'>

/** A named, prepared SQL text and the shape of its rows. Made only by `statement`. */
export interface Statement<Row extends QueryResultRow> {
  readonly name: string
  readonly text: string
  /** Never set; carries the row type. */
  readonly row?: Row
}

/** Every statement of the program by name, so that one test can prepare them all against the migrated schema. */
export const STATEMENTS = new Map<string, Statement<QueryResultRow>>()

/** Declares a statement once, at module load. `name` is `<feature>.<verb>`, unique in the program. */
export function statement<Row extends QueryResultRow>(name: string, text: string): Statement<Row> {
  if (STATEMENTS.has(name)) throw new Error(`Statement ${name} is declared twice.`)
  const declared = Object.freeze({ name, text })
  STATEMENTS.set(name, declared)
  return declared
}

/** All rows. */
export async function rows<Row extends QueryResultRow>(
  on: Queryable,
  declared: Statement<Row>,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await on.query<Row>({ name: declared.name, text: declared.text, values: values as unknown[] })
  return result.rows
}

/** The first row, or undefined: for a conditional write, undefined means somebody else moved the row. */
export async function row<Row extends QueryResultRow>(
  on: Queryable,
  declared: Statement<Row>,
  values: readonly unknown[] = [],
): Promise<Row | undefined> {
  return (await rows(on, declared, values))[0]
}

/** For writes without RETURNING: how many rows changed. */
export async function count<Row extends QueryResultRow>(
  on: Queryable,
  declared: Statement<Row>,
  values: readonly unknown[] = [],
): Promise<number> {
  const result = await on.query({ name: declared.name, text: declared.text, values: values as unknown[] })
  return result.rowCount ?? 0
}
