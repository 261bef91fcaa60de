import type { PaymentFailure } from './states.ts'

/**
 * What the secure surface's page and its backend say to each other. The page holds a session token; every call but
 * `launch` sends it as `Authorization: Bearer`. Errors are the ordinary envelope.
 *
 *   GET  /s/{merchant_id}/{session_id}      the page itself (launch secret in the fragment)
 *   POST /api/launch                        LaunchRequest            → LaunchResponse
 *   GET  /api/session                                                → SurfaceView
 *   POST /api/cards                         EnterCardRequest         → SurfaceView
 *   POST /api/cards/select                  SelectCardRequest        → SurfaceView
 *   POST /api/cards/verify                  VerifyCardRequest        → SurfaceView
 *   POST /api/passkeys/registration-options { frame }                → PublicKeyCredentialCreationOptionsJSON
 *   POST /api/passkeys/registrations        { response }             → SurfaceView
 *   POST /api/approval-options              { frame }                → ApprovalOptions
 *   POST /api/approvals                     { response }             → SurfaceView
 *   POST /api/cancel                                                 → SurfaceView
 */
export interface LaunchRequest {
  merchant_id: string
  session_id: string
  launch_secret: string
}

export interface LaunchResponse {
  session_token: string
  view: SurfaceView
}

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

export const SURFACE_OUTCOMES = ['approved', 'failed', 'cancelled', 'expired', 'revoked'] as const
export type SurfaceOutcome = (typeof SURFACE_OUTCOMES)[number]

export interface SurfaceCard {
  card_id: string
  card_last4: string
  card_brand: string | null
  card_exp_month: number
  card_exp_year: number
}

export type SurfaceProduct = {
  name: string
  unit_price: string
  quantity: number
}

/** Everything the page may show. No secret, no full number, no email. */
export interface SurfaceView {
  session_id: string
  step: SurfaceStep
  /** Set when `step` is `done`. */
  outcome: SurfaceOutcome | null
  /** Why it failed, in words for the cardholder; null otherwise. */
  failure: { code: PaymentFailure | string; message: string } | null
  integration_type: 'full_checkout' | 'embedding'
  /** Origins that may embed the page and talk to it; `http://localhost:*` style port wildcards are possible. */
  allowed_origins: string[]
  /** Where hosted mode returns to, with `session_id` added; null when there is nowhere to go. */
  return_url: string | null
  expires_at: string
  /** The service's time when it answered, so that the page's countdown is right on a wrong clock. */
  now: string
  environment: 'sandbox' | 'production'
  payment: {
    merchant_name: string
    merchant_url: string
    amount: string
    currency: string
    description: string | null
    products: SurfaceProduct[]
  }
  /** The customer's active cards, the default one first, then newest first. */
  cards: SurfaceCard[]
  /** The card this session is bound to so far. */
  card: SurfaceCard | null
  /** At the step `card_cvv`: the card the merchant has on file, which is not enrolled yet and so has no id. */
  card_on_file: Omit<SurfaceCard, 'card_id'> | null
  has_passkey: boolean
}

export interface EnterCardRequest {
  card_number?: string
  expiry_month?: string
  expiry_year?: string
  cvv: string
}

export interface SelectCardRequest {
  card_id: string
}

export interface VerifyCardRequest {
  code: string
}

/** What the browser says of where the ceremony runs; checked against the signed client data, never trusted alone. */
export interface FrameInfo {
  embedded: boolean
}

/**
 * The terms of one purchase, in full: what the page shows, what the passkey's challenge binds and what is kept as
 * evidence. Money is text; every key is always present, so that equal terms are equal bytes.
 */
export type ApprovalStatement = {
  version: 1
  type: 'payment'
  session_id: string
  account_id: string
  customer_id: string
  payee: { name: string; url: string; country: string }
  amount: string
  currency: string
  description: string | null
  products: SurfaceProduct[]
  card: { id: string; brand: string | null; last4: string }
  /** How often the amount may be charged. */
  charges: number
  /** How long the approval can be charged once it is given. */
  valid_minutes: number
  approve_by: string
}

/** The statement the cardholder approves, and the WebAuthn request whose challenge binds it. */
export interface ApprovalOptions {
  statement: ApprovalStatement
  options: Record<string, unknown>
}

/** Version of the postMessage protocol between the page and the page that embeds it. */
export const FRAME_PROTOCOL = 'mintmark.frame.1'

/** From the embedding page to the surface. `hello` is repeated until `ready` answers; its origin is pinned then. */
export type ParentMessage =
  | { protocol: typeof FRAME_PROTOCOL; type: 'hello' }
  | { protocol: typeof FRAME_PROTOCOL; type: 'cancel' }

/** From the surface to the embedding page. Never a number, a code, a token or a secret. */
export type FrameMessage =
  | { protocol: typeof FRAME_PROTOCOL; type: 'ready'; session_id: string }
  | { protocol: typeof FRAME_PROTOCOL; type: 'change'; step: SurfaceStep; complete: boolean; brand: string | null }
  | { protocol: typeof FRAME_PROTOCOL; type: 'card_collected'; card: SurfaceCard }
  | { protocol: typeof FRAME_PROTOCOL; type: 'completed'; session_id: string; outcome: SurfaceOutcome }
  | { protocol: typeof FRAME_PROTOCOL; type: 'cancelled'; session_id: string }
  | { protocol: typeof FRAME_PROTOCOL; type: 'error'; code: string; message: string; retryable: boolean }
  | { protocol: typeof FRAME_PROTOCOL; type: 'resize'; height: number }
