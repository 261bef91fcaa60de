import type { Queryable } from '../../db/statement.ts'
import { sumOf } from './order.ts'
import * as store from './store.ts'

/** A cart with what is in it: open, at today's prices; ordered, at those that were paid. */
export type CartView = NonNullable<Awaited<ReturnType<typeof findView>>>

interface ViewRef {
  merchantId: string
  cartId: string
  /** Null: whose cart it is does not matter. */
  customerId: string | null
}

export async function findView(on: Queryable, { merchantId, cartId, customerId }: ViewRef) {
  const cart = await store.findCart(on, { merchantId, cartId, customerId })
  if (cart === undefined) return undefined
  const lines = await store.listShownLines(on, { merchantId, cartId })
  return { ...cart, lines, totalMinor: sumOf(lines) }
}
