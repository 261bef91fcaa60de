import { Pool, type PoolClient } from 'pg'
import { checkBounds, remainingMillis } from '../platform/bounds.ts'
import { QUERY_TIMEOUT_MILLIS } from './pool.ts'
import { type Answer, Execution, type WireValue, wireValue } from './prepared.ts'
import { camelCase, type RowOf, type Shape } from './row.ts'

/** What a statement runs on: the pool (for reads), an open transaction, or one write of a command. */
export type Queryable = Pick<Pool | PoolClient, 'query'>

/** A value for a `$name` in SQL. A name cast as `$name::jsonb` takes any value that has a JSON form. */
export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | null
  | readonly unknown[]
  | { readonly [name: string]: unknown }

type Letter =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm' | 'n' | 'o' | 'p' | 'q' | 'r' | 's')
  | ('t' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z')
  | ('A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'G' | 'H' | 'I' | 'J' | 'K' | 'L' | 'M' | 'N' | 'O' | 'P' | 'Q' | 'R' | 'S')
  | ('T' | 'U' | 'V' | 'W' | 'X' | 'Y' | 'Z')
  | ('0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9')
type FirstWord<Text, Word extends string = ''> = Text extends `${infer First}${infer Rest}`
  ? First extends Letter
    ? FirstWord<Rest, `${Word}${First}`>
    : Word
  : Word
/** The names that a text mentions as `$name`, read by the compiler. */
type NamesIn<Text, Found = never> = Text extends `${string}$${infer Rest}`
  ? NamesIn<Rest, Found | FirstWord<Rest>>
  : Found

/** One value for each name of the text; a missing or misspelt one does not compile. */
type Values<Text extends string> = [NamesIn<Text>] extends [never]
  ? []
  : [values: { readonly [Name in NamesIn<Text> & string]: SqlValue }]

/** A prepared statement as it is sent: names have become numbers. */
export interface Statement {
  name: string
  text: string
  /** Name of each parameter, in the order of the numbers. */
  parameters: readonly { name: string; isJson: boolean }[]
  /** What the rows hold; null when nothing is returned. */
  shape: Shape | null
  writes: boolean
}

/** Every statement of the program by name, so that one test can prepare and describe them all. */
export const STATEMENTS = new Map<string, Statement>()

/** Declares a statement that returns any number of rows. `name` is `<feature>.<verb>`, unique in the program. */
export function many<const Text extends string, S extends Shape>(name: string, text: Text, shape: S) {
  const statement = declare(name, text, shape)
  const read = reader<RowOf<S>>(shape)
  return async (on: Queryable, ...values: Values<Text>): Promise<RowOf<S>[]> =>
    read(await run(on, statement, values[0]))
}

/** Declares a statement that returns one row or none. For a conditional write, none means that the row had moved on. */
export function one<const Text extends string, S extends Shape>(name: string, text: Text, shape: S) {
  const statement = declare(name, text, shape)
  const read = reader<RowOf<S>>(shape)
  return async (on: Queryable, ...values: Values<Text>): Promise<RowOf<S> | undefined> =>
    read(await run(on, statement, values[0]))[0]
}

/** Declares a write that returns no rows, only how many it changed. */
export function execute<const Text extends string>(name: string, text: Text) {
  const statement = declare(name, text, null)
  return async (on: Queryable, ...values: Values<Text>): Promise<number> =>
    (await run(on, statement, values[0])).rowCount
}

function declare(name: string, source: string, shape: Shape | null): Statement {
  if (STATEMENTS.has(name)) throw new Error(`Statement ${name} is declared twice.`)
  const statement = Object.freeze({ name, shape, ...numbered(source), writes: isWrite(source) })
  STATEMENTS.set(name, statement)
  return statement
}

/** `$cardId … $cardId … $at` → `$1 … $1 … $2`. */
function numbered(source: string): Pick<Statement, 'text' | 'parameters'> {
  const numbers = new Map<string, number>()
  const jsonNames = new Set<string>()
  const text = source.replaceAll(/\$([A-Za-z]\w*)(::jsonb)?/g, (_, name: string, cast = '') => {
    if (cast !== '') jsonNames.add(name)
    const number = numbers.get(name) ?? numbers.size + 1
    numbers.set(name, number)
    return `$${number}${cast}`
  })
  return { text, parameters: [...numbers.keys()].map((name) => ({ name, isJson: jsonNames.has(name) })) }
}

function isWrite(source: string): boolean {
  return /\b(?:insert\s+into|update|delete\s+from)\b/i.test(source.replaceAll(/\bfor\s+(?:no\s+key\s+)?update\b/gi, ''))
}

/** Statements that go as one message: half of a change never goes alone. */
interface Gathering {
  /** Whether what is sent now goes with what the time has allowed already. */
  goesAlong(): boolean
  /** One of them cannot be sent: none is. */
  spoil(error: Error): void
}

const gatherings = new WeakMap<object, Gathering>()

export function gathers(on: Queryable, gathering: Gathering): void {
  gatherings.set(on, gathering)
}

const readers = new WeakSet<object>()

/** Marks what only reads are for, as the pool is. */
export function readsOnly<On extends Queryable>(on: On): On {
  readers.add(on)
  return on
}

async function run(on: Queryable, statement: Statement, given: object = {}): Promise<Answer> {
  // A write on the bare pool, or beside reads, has no command: no clock reading, no event, no reason why there is none.
  if (statement.writes && (on instanceof Pool || readers.has(on)))
    throw new Error(`${statement.name} writes outside a command.`)
  const execution = executionOf(statement, given as Record<string, SqlValue | undefined>, gatherings.get(on))
  // A client returns what it was given; the pool, a promise of the answer. The driver's types know texts only.
  const sent: unknown = on.query(execution as never)
  return sent === execution ? execution.answer() : (sent as Promise<Answer>)
}

function executionOf(
  statement: Statement,
  given: Record<string, SqlValue | undefined>,
  gathering?: Gathering,
): Execution {
  try {
    const values = valuesOf(statement, given)
    if (gathering?.goesAlong() !== true) checkBounds()
    return new Execution(statement, values, queryTimeoutMillis())
  } catch (error) {
    gathering?.spoil(error as Error)
    throw error
  }
}

/** The driver's own limit on a statement, or what is left of the request's time. Zero would mean no limit at all. */
function queryTimeoutMillis(): number {
  return Math.max(1, Math.min(QUERY_TIMEOUT_MILLIS, remainingMillis()))
}

function valuesOf({ name, parameters }: Statement, given: Record<string, SqlValue | undefined>): WireValue[] {
  return parameters.map((parameter) => {
    const value = given[parameter.name]
    if (value === undefined) throw new TypeError(`${name} has no value for $${parameter.name}.`)
    return parameter.isJson && value !== null ? JSON.stringify(value) : wireValue(value)
  })
}

/** Turns rows of values into objects with the program's names. The names are converted once a statement. */
function reader<Row>(shape: Shape): (answer: Answer) => Row[] {
  const made = Object.entries(shape).flatMap(([name, { read }]) => (read === undefined ? [] : [[name, read] as const]))
  let names: string[] | undefined
  return ({ columns, rows }) => {
    if (rows.length === 0) return []
    const known = names ?? columns.map((column) => camelCase(column.name))
    names = known
    return rows.map((values) => {
      const row: Record<string, unknown> = {}
      for (let place = 0; place < known.length; place += 1) row[known[place] as string] = values[place]
      for (const [name, read] of made) row[name] = read(row[name])
      return row as Row
    })
  }
}
