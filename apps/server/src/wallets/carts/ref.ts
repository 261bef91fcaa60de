/** A cart of one customer of an account. */
export interface CartRef {
  merchantId: string
  customerId: string
  cartId: string
}
