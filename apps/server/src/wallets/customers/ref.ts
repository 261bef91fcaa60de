/** A customer of the wallet API: `id` on its wire. */
export interface WalletCustomerRef {
  merchantId: string
  customerId: string
}
