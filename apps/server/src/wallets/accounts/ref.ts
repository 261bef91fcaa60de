import type { WalletCustomerRef } from '../customers/ref.ts'

/** A wallet of a customer: every call about one names both. */
export interface WalletRef extends WalletCustomerRef {
  walletId: string
}
