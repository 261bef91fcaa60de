/**
 * Every error code of the wire, once, with its HTTP status and whether the same call may succeed later.
 * The public text of an error lives with the feature that throws it (`errors.ts` there).
 */
export const ERROR_CODES = {
  AUTH_1001: { status: 401, retryable: false },
  AUTH_1002: { status: 401, retryable: false },
  AUTH_1003: { status: 401, retryable: false },
  AUTH_1004: { status: 401, retryable: false },
  VAL_2001: { status: 400, retryable: false },
  INVALID_REQUEST: { status: 400, retryable: false },
  INVALID_STATE: { status: 400, retryable: false },
  NOT_FOUND: { status: 404, retryable: false },
  RATE_LIMITED: { status: 429, retryable: true },
  INTERNAL_ERROR: { status: 500, retryable: true },
  SERVICE_UNAVAILABLE: { status: 503, retryable: true },
  NOT_IMPLEMENTED: { status: 501, retryable: false },

  TRIES_EXHAUSTED: { status: 429, retryable: false },
  MERCHANT_LOOKUP_ERROR: { status: 500, retryable: true },
  CONFIG_ERROR: { status: 500, retryable: false },
  CARD_NOT_FOUND: { status: 400, retryable: false },
  CARD_INACTIVE: { status: 400, retryable: false },
  SANDBOX_SIMULATION_NOT_ALLOWED: { status: 400, retryable: false },
  SESSION_CREATE_ERROR: { status: 500, retryable: true },
  QUOTE_NOT_FOUND: { status: 404, retryable: false },
  QUOTE_EXPIRED: { status: 409, retryable: false },
  QUOTE_ALREADY_USED: { status: 409, retryable: false },
  QUOTE_AMOUNT_MISMATCH: { status: 400, retryable: false },
  OUT_OF_STOCK: { status: 409, retryable: false },
  MERCHANT_UNAVAILABLE: { status: 503, retryable: true },

  ENROLL_USER_EMAIL_REQUIRED: { status: 400, retryable: false },
  BIN_COUNTRY_NOT_ALLOWED: { status: 400, retryable: false },
  BIN_ISSUER_NOT_ALLOWED: { status: 400, retryable: false },
  SESSION_STATUS_UNSUPPORTED: { status: 409, retryable: false },
  ENROLLMENT_ACTION_NOT_FOUND: { status: 409, retryable: false },

  MANDATE_EXPIRED: { status: 400, retryable: false },
  PRODUCT_NOT_FOUND: { status: 400, retryable: false },
  NETWORK_CONFIRMATION_FAILED: { status: 502, retryable: true },
  REPORT_STATUS_ERROR: { status: 500, retryable: true },

  CUSTOMER_NOT_FOUND: { status: 404, retryable: false },
  NETWORK_DELETE_FAILED: { status: 502, retryable: true },

  AUTH_REQUIRED: { status: 401, retryable: false },
  FORBIDDEN: { status: 403, retryable: false },
  AGENT_KEY_LINKED: { status: 409, retryable: false },
  MANDATE_RECURRING_MUST_BE_SCOPED: { status: 400, retryable: false },
  MANDATE_FORBIDDEN: { status: 403, retryable: false },
  MANDATE_NOT_FOUND: { status: 404, retryable: false },
  MANDATE_INVALID_TRANSITION: { status: 409, retryable: false },
  MANDATE_NOT_ACTIVE: { status: 409, retryable: false },
  MANDATE_MERCHANT_NOT_ALLOWED: { status: 403, retryable: false },
  NO_INSTRUCTION: { status: 409, retryable: false },
  NO_ORDER: { status: 409, retryable: false },
  NO_TOKEN: { status: 500, retryable: true },
  MANDATE_CHARGE_DB_FAILED: { status: 500, retryable: true },
  CHARGE_NOT_FOUND: { status: 404, retryable: false },
  CHARGE_NOT_REPORTABLE: { status: 409, retryable: false },
  CHARGE_NO_TLI: { status: 409, retryable: false },
  MANDATE_CHARGE_REPORT_DB_FAILED: { status: 500, retryable: true },

  IDEMPOTENCY_CONFLICT: { status: 409, retryable: false },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, retryable: true },
  WEBHOOKS_DISABLED: { status: 409, retryable: true },
  WEBHOOK_ENDPOINT_LIMIT: { status: 409, retryable: false },
  ENDPOINT_NOT_VERIFIED: { status: 409, retryable: false },
  ENDPOINT_PAUSED: { status: 409, retryable: false },
  ENDPOINT_DISABLED: { status: 409, retryable: false },
  ENDPOINT_NOT_SUBSCRIBED: { status: 409, retryable: false },
  DELIVERY_EXPIRED: { status: 409, retryable: false },
  RECOVERY_IN_PROGRESS: { status: 409, retryable: true },
  ENDPOINT_VERIFICATION_FAILED: { status: 409, retryable: true },
  ROTATION_IN_PROGRESS: { status: 409, retryable: false },

  CARD_REFUSED: { status: 400, retryable: true },
  STEP_UP_INVALID: { status: 400, retryable: true },
  NETWORK_UNAVAILABLE: { status: 503, retryable: true },
  PASSKEY_REQUIRED: { status: 400, retryable: true },
  PASSKEY_FAILED: { status: 400, retryable: true },
  PASSKEY_FRAME_REFUSED: { status: 400, retryable: true },
} as const satisfies Record<string, { status: number; retryable: boolean }>

export type ErrorCode = keyof typeof ERROR_CODES

export type { ErrorEnvelope } from './wire/common.ts'
