import type { WalletCustomerStatus } from '@mintmark/contract'

/** Which status of a customer may follow which. */
export const WALLET_CUSTOMER_TRANSITIONS = {
  /** The customer was not checked yet, and may do everything. Ends by the check. */
  pending: ['verified', 'rejected'],
  /** The check found nothing against the customer. */
  verified: [],
  /** It did. What the customer has stays; nothing is added to it, and nothing bought of it. */
  rejected: [],
} as const satisfies Record<WalletCustomerStatus, readonly WalletCustomerStatus[]>
