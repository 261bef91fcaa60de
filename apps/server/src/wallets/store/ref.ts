/**
 * What the wire calls a merchant: one that an account's customers buy from. `merchantId` is the account's, as
 * everywhere.
 */
export interface StoreRef {
  merchantId: string
  storeId: string
}

/** So many pieces of a product. */
export interface Pieces {
  productId: string
  quantity: number
}
