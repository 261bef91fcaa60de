import { type Static, Type } from 'typebox'
import { ENVIRONMENTS } from '../accounts.ts'
import { INTEGRATION_TYPES, PAYMENT_FAILURES, type PaymentFailure } from '../states.ts'
import { SURFACE_OUTCOMES, SURFACE_STEPS } from '../surface.ts'
import { nullable, oneOf, STRICT } from './schema.ts'

/**
 * What the secure surface's page and its backend say to each other. The page holds a session token; every call but
 * `launch` sends it as `Authorization: Bearer`. Errors are the ordinary envelope. Codes and parameters only: the words
 * for the cardholder are the page's.
 *
 *   GET  /s/{merchant_id}/{session_id}      the page itself (launch secret in the fragment)
 *   POST /api/launch                        LaunchRequest            → LaunchResponse
 *   GET  /api/session                                                → SurfaceView
 *   POST /api/cards                         EnterCardRequest         → SurfaceView
 *   POST /api/cards/select                  SelectCardRequest        → SurfaceView
 *   POST /api/cards/verify                  VerifyCardRequest        → SurfaceView
 *   POST /api/passkeys/registration-options CeremonyOptionsRequest   → PublicKeyCredentialCreationOptionsJSON
 *   POST /api/passkeys/registrations        CeremonyRequest          → SurfaceView
 *   POST /api/approval-options              CeremonyOptionsRequest   → ApprovalOptions
 *   POST /api/approvals                     CeremonyRequest          → SurfaceView
 *   POST /api/cancel                                                 → SurfaceView
 */

const Id = Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' })
const entered = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: 'clean-text' })

export const LaunchRequest = Type.Object({ merchant_id: Id, session_id: Id, launch_secret: Id }, STRICT)
export type LaunchRequest = Static<typeof LaunchRequest>

export const EnterCardRequest = Type.Object(
  {
    card_number: Type.Optional(entered(40)),
    expiry_month: Type.Optional(entered(2)),
    expiry_year: Type.Optional(entered(4)),
    cvv: entered(4),
  },
  STRICT,
)
export type EnterCardRequest = Static<typeof EnterCardRequest>

export const SelectCardRequest = Type.Object({ card_id: Id }, STRICT)
export type SelectCardRequest = Static<typeof SelectCardRequest>

export const VerifyCardRequest = Type.Object({ code: entered(12) }, STRICT)
export type VerifyCardRequest = Static<typeof VerifyCardRequest>

/** What the browser says of where the ceremony runs; checked against the signed client data, never trusted alone. */
export const FrameInfo = Type.Object({ embedded: Type.Boolean() }, STRICT)
export type FrameInfo = Static<typeof FrameInfo>

export const CeremonyOptionsRequest = Type.Object({ frame: FrameInfo }, STRICT)
export type CeremonyOptionsRequest = Static<typeof CeremonyOptionsRequest>

/** The browser's answer to a ceremony; its inside is checked by the ceremony itself. */
export const CeremonyRequest = Type.Object({ response: Type.Unknown() }, STRICT)
export type CeremonyRequest = Static<typeof CeremonyRequest>

const CARD_ON_FILE = {
  card_last4: Type.String(),
  card_brand: nullable(Type.String()),
  card_exp_month: Type.Integer(),
  card_exp_year: Type.Integer(),
}
/** A card the merchant has on file, which is not enrolled yet and so has no id. */
export const SurfaceCardOnFile = Type.Object(CARD_ON_FILE)
export type SurfaceCardOnFile = Static<typeof SurfaceCardOnFile>

export const SurfaceCard = Type.Object({ card_id: Type.String(), ...CARD_ON_FILE })
export type SurfaceCard = Static<typeof SurfaceCard>

export const SurfaceProduct = Type.Object({
  name: Type.String(),
  unit_price: Type.String(),
  quantity: Type.Integer(),
})
export type SurfaceProduct = Static<typeof SurfaceProduct>

/** What every kind of session shows. No secret, no full number, no email. */
const COMMON_VIEW = {
  session_id: Type.String(),
  step: oneOf(SURFACE_STEPS),
  /** Set when `step` is `done`. */
  outcome: nullable(oneOf(SURFACE_OUTCOMES)),
  integration_type: oneOf(INTEGRATION_TYPES),
  /** Origins that may embed the page and talk to it; `http://localhost:*` style port wildcards are possible. */
  allowed_origins: Type.Array(Type.String()),
  /** Where hosted mode returns to, with `session_id` added; null when there is nowhere to go. */
  return_url: nullable(Type.String()),
  expires_at: Type.String(),
  /** The service's time when it responded, so that the page's countdown is right on a wrong clock. */
  now: Type.String(),
  environment: oneOf(ENVIRONMENTS),
  /** The customer's active cards, the default one first, then newest first. */
  cards: Type.Array(SurfaceCard),
  /** The card this session is bound to so far. */
  card: nullable(SurfaceCard),
  /** At the step `card_cvv`: the card the merchant has on file. */
  card_on_file: nullable(SurfaceCardOnFile),
  has_passkey: Type.Boolean(),
  /**
   * When the customer's passkey was made in place of a lost one; shown at every approval for 30 days, null otherwise. Who
   * did not make it tells the shop.
   */
  passkey_made_at: nullable(Type.String()),
}

/** What the merchant said of the difference between the lines and the total. Decimal strings, `discount` without a sign. */
export const SurfaceSummary = Type.Object({
  subtotal: nullable(Type.String()),
  shipping: nullable(Type.String()),
  tax: nullable(Type.String()),
  discount: nullable(Type.String()),
})
export type SurfaceSummary = Static<typeof SurfaceSummary>

/** What is fixed of one purchase before the cardholder approves it. */
export const SurfacePayment = Type.Object({
  /** As the merchant writes it. Networks get another name, which is never shown. */
  merchant_name: Type.String(),
  merchant_url: Type.String(),
  amount: Type.String(),
  currency: Type.String(),
  description: nullable(Type.String()),
  products: Type.Array(SurfaceProduct),
  summary: nullable(SurfaceSummary),
})
export type SurfacePayment = Static<typeof SurfacePayment>

export const PaymentView = Type.Object({
  kind: Type.Literal('payment'),
  ...COMMON_VIEW,
  /** Why it failed; null otherwise. */
  failure: nullable(Type.Object({ code: oneOf(Object.keys(PAYMENT_FAILURES) as PaymentFailure[]) })),
  payment: SurfacePayment,
  /** What a receipt says beside all that; only of what was approved. */
  receipt: Type.Optional(Type.Object({ approved_at: Type.String(), reference: Type.String() })),
})
export type PaymentView = Static<typeof PaymentView>

/** Everything the page may show, told apart by `kind`. A later kind is one more member of this union. */
export const SurfaceView = PaymentView
export type SurfaceView = Static<typeof SurfaceView>

export const LaunchResponse = Type.Object({ session_token: Type.String(), view: SurfaceView })
export type LaunchResponse = Static<typeof LaunchResponse>

/**
 * The terms of one purchase, in full: what the page shows, what the passkey's challenge binds and what is kept as
 * evidence. Money is text; every key is always present, so that equal terms are equal bytes.
 */
export const PaymentTerms = Type.Object({
  version: Type.Literal(1),
  type: Type.Literal('payment'),
  session_id: Type.String(),
  account_id: Type.String(),
  customer_id: Type.String(),
  payee: Type.Object({ name: Type.String(), url: Type.String(), country: Type.String() }),
  amount: Type.String(),
  currency: Type.String(),
  description: nullable(Type.String()),
  products: Type.Array(SurfaceProduct),
  summary: nullable(SurfaceSummary),
  card: Type.Object({ id: Type.String(), brand: nullable(Type.String()), last4: Type.String() }),
  /** How often the amount may be charged. */
  charges: Type.Integer(),
  /** How long the approval can be charged once it is given. */
  valid_minutes: Type.Integer(),
  approve_by: Type.String(),
})
export type PaymentTerms = Static<typeof PaymentTerms>

/** What a cardholder can approve, told apart by `type`. */
export const ApprovalTerms = PaymentTerms
export type ApprovalTerms = Static<typeof ApprovalTerms>

/** WebAuthn options, as the library built them for the browser. */
export const CeremonyOptions = Type.Unsafe<object>({ type: 'object', additionalProperties: true })
export type CeremonyOptions = Static<typeof CeremonyOptions>

/** The terms the cardholder approves, and the WebAuthn request whose challenge binds it. */
export const ApprovalOptions = Type.Object({ terms: ApprovalTerms, options: CeremonyOptions })
export type ApprovalOptions = Static<typeof ApprovalOptions>
