/** A column of a statement's rows: which PostgreSQL types it may have, and its type in the program. */
interface Column<Value> {
  oids: readonly number[]
  /** Never set; carries the type. */
  value?: Value
  /** Makes the value of what the driver returns, where that is not the value yet. */
  read?: (given: unknown) => Value
  /** The shape of rows of another table. */
  rows?: Shape
}

/** The columns of a row by their names in the program. The one description of a row: type and select list come from it. */
export type Shape = Record<string, Column<unknown>>

export type RowOf<S extends Shape> = { [Name in keyof S]: S[Name] extends Column<infer Value> ? Value : never }

const column = <Value>(...oids: number[]): Column<Value> => Object.freeze({ oids })

export const text = column<string>(25, 1043)
export const uuid = column<string>(2950)
/** smallint or integer. */
export const int = column<number>(21, 23)
/** Money, versions, fences: exact. */
export const bigint = column<bigint>(20)
export const bool = column<boolean>(16)
export const time = column<Date>(1184)
export const bytes = column<Buffer>(17)
export const texts = column<string[]>(1009)
export const times = column<Date[]>(1185)

/** A closed set from the contract, stored as text. */
export function oneOf<const Value extends string>(_values: readonly Value[]): Column<Value> {
  return text as Column<Value>
}

export function json<Value>(): Column<Value> {
  return column<Value>(3802)
}

export function nullable<Value>({ oids, read, rows }: Column<Value>): Column<Value | null> {
  if (read === undefined) return { oids }
  return { oids, ...(rows && { rows }), read: (given) => (given === null ? null : read(given)) }
}

const JSON_OID = 114
const INT8_OID = 20

/** A row of another table in one column, as `objectOf` writes it. */
export function object<S extends Shape>(shape: S): Column<RowOf<S>> {
  const read = rowReader(shape)
  return { oids: [JSON_OID], read, rows: shape }
}

/** Rows of another table in one column: what `json_agg` makes of `objectOf`. */
export function objects<S extends Shape>(shape: S): Column<RowOf<S>[]> {
  const read = rowReader(shape)
  return { oids: [JSON_OID], read: (given) => (given as unknown[]).map(read), rows: shape }
}

/** A row as one JSON object, by the names of the program: what a statement shows beside its own row costs no second one. */
export function objectOf(shape: Shape, table: string): string {
  const members = Object.entries(shape).map(([name, { oids }]) => {
    const cell = `${table}.${snakeCase(name)}`
    // As a number it would lose its last digits.
    return `'${name}', ${oids[0] === INT8_OID ? `${cell}::text` : cell}`
  })
  return `json_build_object(${members.join(', ')})`
}

/** What JSON makes of a type, made the value that the driver would give. */
const FROM_JSON = new Map<number, (given: string) => unknown>([
  [INT8_OID, BigInt],
  [1184, (given) => new Date(given)],
  // `\x`, then hexadecimal digits.
  [17, (given) => Buffer.from(given.slice(2), 'hex')],
])

function rowReader<S extends Shape>(shape: S): (given: unknown) => RowOf<S> {
  const readers = Object.entries(shape).flatMap(([name, { oids }]) => {
    const read = FROM_JSON.get(oids[0] ?? 0)
    return read === undefined ? [] : [[name, read] as const]
  })
  return (given) => {
    const row = given as Record<string, unknown>
    for (const [name, read] of readers) if (row[name] !== null) row[name] = read(row[name] as string)
    return row as RowOf<S>
  }
}

/** The select list of a row, in the database's spelling. */
export function columns(shape: Shape, table?: string): string {
  const prefix = table === undefined ? '' : `${table}.`
  return Object.keys(shape)
    .map((name) => prefix + snakeCase(name))
    .join(', ')
}

/** `expMonth` → `exp_month`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** `exp_month` → `expMonth`. */
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
