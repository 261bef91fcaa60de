/** Whose: every call about a person names merchant and customer. */
export interface CustomerRef {
  merchantId: string
  customerId: string
}
