import type { SealedRow } from '../../platform/row-seals.ts'

/** What must not be edited of a purchase: which shop is handed the credential, and for what. */
export function sealedPurchase(purchase: {
  merchantId: string
  chargeId: string
  quoteId: string
  shopId: string
  shopRef: string
}): SealedRow {
  const { merchantId, chargeId: id, quoteId, shopId, shopRef } = purchase
  return { table: 'purchases', merchantId, id, parts: [quoteId, shopId, shopRef] }
}
