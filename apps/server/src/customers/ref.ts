/** A customer of one merchant. Every call about a person names both. */
export interface CustomerRef {
  merchantId: string
  customerId: string
}
