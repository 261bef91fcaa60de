/** A column of a statement's rows: which PostgreSQL types it may have, and its type in the program. */
interface Column<Value> {
  oids: readonly number[]
  /** Never set; carries the type. */
  value?: Value
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

/** A closed set from the contract, stored as text. */
export function oneOf<const Value extends string>(_values: readonly Value[]): Column<Value> {
  return text as Column<Value>
}

export function json<Value>(): Column<Value> {
  return column<Value>(3802)
}

export function nullable<Value>({ oids }: Column<Value>): Column<Value | null> {
  return { oids }
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
