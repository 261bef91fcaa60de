/**
 * Every error code of the wallet API, once, with its HTTP status and whether the same call may succeed later. A table
 * of its own: a word of the main API may have another status here.
 */
export const WALLET_ERROR_CODES = {
  UNAUTHORIZED: { status: 401, retryable: false },
  VALIDATION_ERROR: { status: 400, retryable: false },
  INVALID_QUANTITY: { status: 400, retryable: false },
  INSUFFICIENT_FUNDS: { status: 400, retryable: false },
  OPERATION_NOT_ALLOWED: { status: 403, retryable: false },

  NOT_FOUND: { status: 404, retryable: false },
  CUSTOMER_NOT_FOUND: { status: 404, retryable: false },
  ADDRESS_NOT_FOUND: { status: 404, retryable: false },
  WALLET_NOT_FOUND: { status: 404, retryable: false },
  CART_NOT_FOUND: { status: 404, retryable: false },
  MERCHANT_NOT_FOUND: { status: 404, retryable: false },
  PRODUCT_NOT_FOUND: { status: 404, retryable: false },

  CUSTOMER_EXISTS: { status: 409, retryable: false },
  INVALID_STATE: { status: 409, retryable: false },
  IDEMPOTENCY_CONFLICT: { status: 409, retryable: false },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, retryable: true },

  RATE_LIMITED: { status: 429, retryable: true },
  INTERNAL_ERROR: { status: 500, retryable: true },
  SERVICE_UNAVAILABLE: { status: 503, retryable: true },
} as const satisfies Record<string, { status: number; retryable: boolean }>

export type WalletErrorCode = keyof typeof WALLET_ERROR_CODES
