// The closed sets of the wallet API.

export const WALLET_CUSTOMER_TYPES = ['individual', 'business'] as const

export const WALLET_CUSTOMER_STATUSES = ['pending', 'verified', 'rejected'] as const
export type WalletCustomerStatus = (typeof WALLET_CUSTOMER_STATUSES)[number]
