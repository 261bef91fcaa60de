/** A part of a list. `most`: up to how many are counted. */
export interface Range {
  offset: number
  limit: number
  most: number
}

/** The rows of a part, and how many the list has, counted no further than was asked for. */
export interface Listed<Row> {
  rows: Row[]
  counted: bigint
}

/** `count` is the row of a statement that counts: it always has one. */
export function listed<Row>(rows: Row[], count: { counted: bigint } | undefined): Listed<Row> {
  return { rows, counted: count?.counted ?? 0n }
}

/** Sort before and after every id. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
