import type { StoredProduct } from '@mintmark/contract'
import type { CustomPurchase } from '@mintmark/contract/wire/sessions'
import { networkName } from '../network/merchant-name.ts'
import { amountFromMinor, minorFromAmount } from '../platform/money.ts'
import { foldWhiteSpace, optionalReference, optionalText } from '../platform/text.ts'

// The payee and what is bought, as merchants write it: the same for a session and for a charge of a mandate, because what
// a charge is for is compared with what was approved.

export interface Payee {
  /** As the merchant writes it: what is shown, signed and kept as evidence. */
  name: string
  /** What the card network is told. */
  networkName: string
  url: string
  country: string
  categoryCode: string | null
  category: string | null
}

export type PurchasedProduct = Pick<StoredProduct, 'externalId' | 'name' | 'unitPrice' | 'quantity'>

export function fromWirePayee(merchant: CustomPurchase['merchant_details']): Payee {
  return {
    // One form of a name that Unicode can write in several: equal names are equal bytes under the signature.
    name: foldWhiteSpace(merchant.name).normalize('NFC'),
    networkName: networkName(merchant),
    url: merchant.url,
    country: merchant.country_code_iso2,
    categoryCode: optionalReference(merchant.category_code),
    category: optionalText(merchant.category),
  }
}

export function fromWireProducts(products: CustomPurchase['product_details']): PurchasedProduct[] {
  return products.map((product) => ({
    externalId: optionalReference(product.product_id),
    name: foldWhiteSpace(product.description),
    unitPrice: canonicalAmount(product.unit_price),
    quantity: product.quantity ?? 1,
  }))
}

/** `"40.5"` → `"40.50"`. */
export function canonicalAmount(amount: string): string {
  return amountFromMinor(minorFromAmount(amount))
}
