import type { Database } from './database.ts'

interface Piece {
  variantId: string
  quantity: number
}

export function createStock(db: Database) {
  const read = db.prepare('select available from stock where variant_id = ?')
  // The rule is in the statement: one of many callers that want the last piece finds it.
  const take = db.prepare('update stock set available = available - $n where variant_id = $id and available >= $n')
  const put = db.prepare('update stock set available = available + $n where variant_id = $id')

  function giveBack(pieces: readonly Piece[]): void {
    for (const { variantId, quantity } of pieces) put.run({ id: variantId, n: quantity })
  }

  return {
    available: (variantId: string): number => Number(read.get(variantId)?.available ?? 0),
    /** All of a basket or nothing of it; inside the caller's transaction. */
    takeAll(pieces: readonly Piece[]): boolean {
      const short = pieces.findIndex(
        ({ variantId, quantity }) => take.run({ id: variantId, n: quantity }).changes !== 1n,
      )
      if (short >= 0) giveBack(pieces.slice(0, short))
      return short < 0
    },
    giveBack,
  }
}

export type Stock = ReturnType<typeof createStock>
