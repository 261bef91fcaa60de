import type { ErrorCode } from './errors.ts'

/**
 * The closed sets of the secure surface. The page's bundle contains them, so this file imports no schema library; the
 * schemas and the calls are in `wire/surface.ts`.
 */

/**
 * Where the cardholder stands. The page draws one screen a step and never decides a step itself.
 * `card`: choose or enter one; `card_cvv`: a preselected vault record needs its CVV; `card_verification`: the network
 * wants the code it sent; `passkey_registration`; `approval`; `processing`: approved, network in flight; `done`.
 */
export const SURFACE_STEPS = [
  'card',
  'card_cvv',
  'card_verification',
  'passkey_registration',
  'approval',
  'processing',
  'done',
] as const
export type SurfaceStep = (typeof SURFACE_STEPS)[number]

/** How round a merchant's corners may be, in pixels, and the scheme of its pages. */
export const MAX_BRAND_RADIUS = 32
export const BRAND_SCHEMES = ['light', 'dark', 'auto'] as const

export const SURFACE_OUTCOMES = ['approved', 'failed', 'cancelled', 'expired', 'revoked'] as const
export type SurfaceOutcome = (typeof SURFACE_OUTCOMES)[number]

/** How long the page of a session that is over may still read how it ended; then it is refused like an expired one. */
export const READABLE_AFTER_END_SECONDS = 900

/** The error codes the surface's backend may send; the page has words and a reaction for each. */
export const SURFACE_ERROR_CODES = [
  'AUTH_1001',
  'AUTH_1002',
  'AUTH_1003',
  'AUTH_1004',
  'NOT_FOUND',
  'VAL_2001',
  'INVALID_REQUEST',
  'INVALID_STATE',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'NOT_IMPLEMENTED',
  'CONFIG_ERROR',
  'MERCHANT_LOOKUP_ERROR',
  'TRIES_EXHAUSTED',
  'CARD_NOT_FOUND',
  'CARD_INACTIVE',
  'CARD_REFUSED',
  'STEP_UP_INVALID',
  'MANDATE_EXPIRED',
  'NETWORK_UNAVAILABLE',
  'PASSKEY_REQUIRED',
  'PASSKEY_FAILED',
  'PASSKEY_FRAME_REFUSED',
] as const satisfies readonly ErrorCode[]
export type SurfaceErrorCode = (typeof SURFACE_ERROR_CODES)[number]

/**
 * Why a card was not accepted while it was entered or verified: `details.reason` of `CARD_REFUSED`. What the cardholder can mend, by
 * typing again or by waiting for another code; and `CARD_DECLINED` for everything else: which it was helps only who tries stolen numbers.
 */
export const CARD_REFUSALS = [
  'CARD_NUMBER_INVALID',
  'CARD_EXPIRED',
  'CVV_MISMATCH',
  'CARD_DECLINED',
  'STEP_UP_EXHAUSTED',
  'DEVICE_BINDING_FAILED',
] as const
export type CardRefusal = (typeof CARD_REFUSALS)[number]

/**
 * Why a passkey was refused: `details.reason` of `PASSKEY_FAILED`. Absent when a check of the ceremony failed: which one
 * would help only an attacker.
 */
export const PASSKEY_REFUSALS = ['PASSKEY_IN_USE', 'PASSKEY_BLOCKED', 'PASSKEY_CHANGED'] as const
export type PasskeyRefusal = (typeof PASSKEY_REFUSALS)[number]

/** The code that the sandbox's network sends for every card. The page shows it there, and nowhere else. */
export const SANDBOX_STEP_UP_CODE = '123456'
