/** What becomes of an order of the wallet API. One that is paid from a wallet is `completed` from the start. */
export const ORDER_STATUSES = ['processing', 'completed', 'failed'] as const
