/** A product line as it is kept with its charge; `status` and `paid` come with the merchant's report. */
export interface StoredProduct {
  ref: string
  externalId: string | null
  name: string
  /** As the wire shows it, `"40.00"`. */
  unitPrice: string
  quantity: number
  status?: string
  paid?: string
}
