import type { Change } from '../../db/command.ts'
import type { Pieces } from './ref.ts'
import * as store from './stock-store.ts'

/** There are fewer of a product than were asked for. */
export interface Shortage {
  productId: string
  available: number
}

/**
 * Takes pieces from the stock of an account, in the caller's transaction: all of them, or none. Returns of what there
 * are too few; empty: all were taken. No product is named twice. Until the transaction ends, other orders of the same
 * products wait.
 */
export async function takeStock({ tx }: Change, merchantId: string, items: readonly Pieces[]): Promise<Shortage[]> {
  const productIds = items.map(({ productId }) => productId)
  const quantities = items.map(({ quantity }) => quantity)
  return store.updateTaken(tx, { merchantId, productIds, quantities })
}
