import type { KeyProvider } from '../platform/key-provider.ts'
import { type CellRef, rewrap, SealBroken, type SealedField } from './envelope.ts'

/** A row and the sealed value in one of its columns. */
export interface SealedRow extends SealedField {
  merchantId: string
  id: string
  /** When it is due, as PostgreSQL says it, of rows that are listed in that order. */
  dueAt?: string
}

/** Where a row stands in the order that a place is read in. */
export type RowPlace = Pick<SealedRow, 'merchantId' | 'id' | 'dueAt'>

/** A column of sealed values. The room that owns the table says how it is read and written. */
export interface SealedPlace {
  /** Table and column, as the operator reads it. */
  name: string
  /** How many rows this key wraps; `MAX_COUNTED` for that many and more. */
  count(keyId: string): Promise<number>
  /** Rows that this key wraps, in a fixed order, behind one of them. */
  list(keyId: string, after: RowPlace | null, limit: number): Promise<SealedRow[]>
  cellOf(row: RowPlace): CellRef
  /** Stores the value wrapped anew, unless the row has another value by now. */
  update(row: SealedRow, fresh: SealedField): Promise<unknown>
}

/** What has been done so far. `broken` rows do not open; they keep the key from being retired. */
export interface RewrapCount {
  rewrapped: number
  broken: number
}

interface RewrapDeps {
  keys: KeyProvider
  /** Called for a value that does not open. */
  onBroken(cell: CellRef, error: SealBroken): void
}

/** For the operator's eye: counting further takes longer than it tells. */
export const MAX_COUNTED = 100_000

const PAGE = 200
/** Calls to the key provider side by side. */
const AT_ONCE = 8

/**
 * Wraps everything in a place that `keyId` wraps with the current key, row by row, while the service goes on reading and
 * writing it. There is nothing to remember: what was done is not found again, so it goes on wherever it was stopped.
 */
export async function rewrapPlace(
  deps: RewrapDeps,
  place: SealedPlace,
  keyId: string,
  onProgress: (count: RewrapCount) => void,
): Promise<RewrapCount> {
  const count = { rewrapped: 0, broken: 0 }
  let after: RowPlace | null = null
  for (;;) {
    const rows: SealedRow[] = await place.list(keyId, after, PAGE)
    for (let start = 0; start < rows.length; start += AT_ONCE) {
      const results = await Promise.all(rows.slice(start, start + AT_ONCE).map((row) => rewrapRow(deps, place, row)))
      for (const result of results) count[result] += 1
    }
    if (rows.length > 0) onProgress({ ...count })
    after = rows.at(-1) ?? null
    if (after === null) return count
  }
}

async function rewrapRow(deps: RewrapDeps, place: SealedPlace, row: SealedRow): Promise<keyof RewrapCount> {
  const cell = place.cellOf(row)
  try {
    await place.update(row, await rewrap(deps.keys, cell, row))
    return 'rewrapped'
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    deps.onBroken(cell, error)
    return 'broken'
  }
}
