import { createHash } from 'node:crypto'
import type { StoredProduct } from '@mintmark/contract'
import { canonicalJson } from '../platform/canonical-json.ts'

/** SHA-256, base64url. */
export const hashText = (text: string): string => createHash('sha256').update(text, 'utf8').digest('base64url')

/** The hash of what was bought, as canonical JSON (RFC 8785) of what the shop was told of each line. */
export function hashLines(products: readonly StoredProduct[]): string {
  return hashText(
    canonicalJson(
      products.map(({ externalId, name, unitPrice, quantity }) => ({
        ...(externalId === null ? {} : { product_id: externalId }),
        ...{ description: name, unit_price: unitPrice, quantity },
      })),
    ),
  )
}
