import { MAX_CART_LINES, MAX_PIECES } from '@mintmark/contract'

/** What is in a cart of a product. */
export interface Held {
  productId: string
  quantity: number
  place: number
}

/** What is to be put in. `path` is where the request says so. */
export interface Added {
  productId: string
  quantity: number
  path: string
}

interface CartChange {
  held: readonly Held[]
  removed: readonly string[]
  added: readonly Added[]
  /** How many there are of the products that the cart's merchant sells. */
  inventory: ReadonlyMap<string, number>
}

/** Why a change of a cart is refused, and the field that says it. */
export type CartRefusal =
  | { reason: 'no_product'; path: string }
  | { reason: 'too_many_pieces'; path: string; most: number }
  | { reason: 'too_many_lines'; path: string }

/**
 * What the lines of a changed cart are. Products are taken out first, then put in: one that is in both begins anew, which is how a quantity
 * is set. One that is in the cart already becomes more. A cart keeps nothing back: there may be fewer when it is ordered.
 */
export function changeLines({ held, removed, added, inventory }: CartChange): Held[] | CartRefusal {
  const lines = new Map(held.map((line) => [line.productId, line]))
  for (const productId of removed) lines.delete(productId)
  let last = Math.max(-1, ...held.map(({ place }) => place))
  for (const { productId, quantity, path } of added) {
    const available = inventory.get(productId)
    if (available === undefined) return { reason: 'no_product', path: `${path}.product_id` }
    const line = lines.get(productId)
    const wanted = quantity + (line?.quantity ?? 0)
    const most = Math.min(available, MAX_PIECES)
    if (wanted > most) return { reason: 'too_many_pieces', path: `${path}.qty`, most }
    if (line === undefined) last += 1
    lines.set(productId, { productId, quantity: wanted, place: line?.place ?? last })
    if (lines.size > MAX_CART_LINES) return { reason: 'too_many_lines', path }
  }
  return [...lines.values()]
}
