import type { WalletCustomerRef } from '../customers/ref.ts'

/** An order of a customer. */
export interface OrderRef extends WalletCustomerRef {
  orderId: string
}
