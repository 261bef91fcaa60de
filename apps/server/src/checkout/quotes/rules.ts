import type { CatalogProduct, QuoteLine } from '../port.ts'
import { nameOf } from './names.ts'

/** As many as are shown and signed at most. */
const MAX_LINES = 100

/**
 * Whether a product has names of ours, which a path can hold. One that has none cannot be bought, and is in no page. Prices and texts
 * are the guard's to look at: what comes through it is sound.
 */
export function isNameable({ productId, variants }: CatalogProduct, shopId: string): boolean {
  return (
    nameOf('product', { shopId, foreignId: productId }) !== undefined &&
    variants.every(({ variantId }) => nameOf('variant', { shopId, foreignId: variantId }) !== undefined)
  )
}

/** The same of what is quoted: the variants were named by us, their products by the shop. */
export function areNameable(lines: readonly QuoteLine[], shopId: string): boolean {
  return (
    lines.length <= MAX_LINES &&
    lines.every(({ productId, variantId }) =>
      [nameOf('product', { shopId, foreignId: productId }), nameOf('variant', { shopId, foreignId: variantId })].every(
        (name) => name !== undefined,
      ),
    )
  )
}
