import { type Static, Type } from 'typebox'
import { ENVIRONMENTS } from '../accounts.ts'
import {
  ENROLLED_PASSKEYS,
  INTEGRATION_TYPES,
  MERCHANT_SCOPES,
  PAYMENT_FAILURES,
  type PaymentFailure,
  RECURRING_FREQUENCIES,
  SETUP_FAILURES,
  type SetupFailure,
} from '../states.ts'
import { BRAND_SCHEMES, MAX_BRAND_RADIUS, SURFACE_OUTCOMES, SURFACE_STEPS } from '../surface.ts'
import { Amount, dateTime } from './common.ts'
import { nullable, oneOf, STRICT } from './schema.ts'
import { Sentence } from './sentence.ts'

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
 *   POST /api/passkeys/registrations        RegistrationRequest      → RegistrationResponse
 *   POST /api/approval-options              ApprovalOptionsRequest   → ApprovalOptions
 *   POST /api/approvals                     CeremonyRequest          → SurfaceView
 *   POST /api/more-time                                              → SurfaceView
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
    /**
     * Just this once: the card is deleted when the session has ended. In payments only, and with a number. A card that is kept
     * already stays so. Absent: it is kept for next time.
     */
    once: Type.Optional(Type.Boolean()),
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

/**
 * How the page's words and times are read. The session's own `locale` comes before this one. What is no locale or time zone is passed
 * over: then it is English, and days are those of UTC.
 */
export const ReaderInfo = Type.Object(
  { locale: Type.Optional(Type.String({ maxLength: 64 })), time_zone: Type.Optional(Type.String({ maxLength: 64 })) },
  STRICT,
)
export type ReaderInfo = Static<typeof ReaderInfo>

export const CeremonyOptionsRequest = Type.Object({ frame: FrameInfo }, STRICT)
export type CeremonyOptionsRequest = Static<typeof CeremonyOptionsRequest>

/**
 * What the cardholder changes of a permission that is `adjustable`: never above or beyond what the merchant asked for, which
 * is what a view says before the approval. A field that is absent stays as the merchant asked.
 */
export const Adjustment = Type.Object(
  { amount: Type.Optional(Amount), valid_until: Type.Optional(dateTime('The new end, before the one asked for.')) },
  STRICT,
)
export type Adjustment = Static<typeof Adjustment>

/** The terms in the response are those with the adjustment. */
export const ApprovalOptionsRequest = Type.Object(
  { frame: FrameInfo, adjust: Type.Optional(Adjustment), reader: Type.Optional(ReaderInfo) },
  STRICT,
)
export type ApprovalOptionsRequest = Static<typeof ApprovalOptionsRequest>

/** The browser's answer to a ceremony; its inside is checked by the ceremony itself. */
export const CeremonyRequest = Type.Object({ response: Type.Unknown() }, STRICT)
export type CeremonyRequest = Static<typeof CeremonyRequest>

/** With `frame` the answer brings what the approval is asked with, if that is next: the page need not ask for it. */
export const RegistrationRequest = Type.Object(
  { response: Type.Unknown(), frame: Type.Optional(FrameInfo), reader: Type.Optional(ReaderInfo) },
  STRICT,
)
export type RegistrationRequest = Static<typeof RegistrationRequest>

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

/** The operator, who keeps the cards and runs this service, in their own words. In production the three addresses are always there. */
export const SurfaceOperator = Type.Object({
  name: Type.String(),
  logo_url: Type.Optional(Type.String()),
  privacy_url: Type.Optional(Type.String()),
  terms_url: Type.Optional(Type.String()),
  support_url: Type.Optional(Type.String()),
})
export type SurfaceOperator = Static<typeof SurfaceOperator>

/**
 * How the merchant looks, as its operator set it; a field that is absent is the page's own. It dresses the sheet, and never touches amount,
 * payee, sentence or the button's words.
 */
export const SurfaceBrand = Type.Object({
  /** An image of this origin, whose address changes with its content. */
  logo_url: Type.Optional(Type.String()),
  /** `#rrggbb`, of 4.5:1 or more against the page in its light scheme, and in its dark one. */
  accent: Type.Optional(Type.String()),
  accent_dark: Type.Optional(Type.String()),
  /** The radius of corners, in pixels. */
  radius: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_BRAND_RADIUS })),
  /** Absent: light in a frame, which stands in a merchant's page; in a tab as the browser asks. */
  scheme: Type.Optional(oneOf(BRAND_SCHEMES)),
})
export type SurfaceBrand = Static<typeof SurfaceBrand>

/** What every kind of session shows. No secret, no full number, no email. */
const COMMON_VIEW = {
  operator: SurfaceOperator,
  merchant: Type.Object({ brand: SurfaceBrand }),
  /** BCP 47, as the merchant asked for it at the session's creation; null: the browser's. */
  locale: nullable(Type.String()),
  session_id: Type.String(),
  step: oneOf(SURFACE_STEPS),
  /** Set when `step` is `done`. */
  outcome: nullable(oneOf(SURFACE_OUTCOMES)),
  integration_type: oneOf(INTEGRATION_TYPES),
  /** The cardholder's agent that has asked, by the name that the terms say, and the page where its owner ends it; null where a merchant has. */
  agent: nullable(Type.Object({ name: Type.String(), owner_url: nullable(Type.String()) })),
  /** Origins that may embed the page and talk to it; `http://localhost:*` style port wildcards are possible. */
  allowed_origins: Type.Array(Type.String()),
  /** Where hosted mode returns to, with `session_id` added; null when there is nowhere to go. */
  return_url: nullable(Type.String()),
  expires_at: Type.String(),
  /** The service's time when it responded, so that the page's countdown is right on a wrong clock. */
  now: Type.String(),
  /** From when on the cardholder may ask for ten minutes more, which is once; absent: they are not given, or were. */
  more_time_from: Type.Optional(Type.String()),
  environment: oneOf(ENVIRONMENTS),
  /** The customer's active cards, the default one first, then newest first. */
  cards: Type.Array(SurfaceCard),
  /** The card this session is bound to so far. A returning customer's session has the default one from its launch on. */
  card: nullable(SurfaceCard),
  /** That card is deleted when this session has ended, as its cardholder chose. */
  card_once: Type.Boolean(),
  /** At the step `card_cvv`: the card the merchant has on file. */
  card_on_file: nullable(SurfaceCardOnFile),
  has_passkey: Type.Boolean(),
  /**
   * When the customer's passkey was made in place of a lost one; shown at every approval for 30 days, null otherwise. A
   * cardholder who did not make it tells the shop.
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
  /** True: this service buys at the merchant right after the approval. False: the merchant or agent that asked does. */
  bought_here: Type.Boolean(),
})
export type SurfacePayment = Static<typeof SurfacePayment>

/** What a receipt says beside all that; only of what was approved. */
const Receipt = Type.Optional(Type.Object({ approved_at: Type.String(), reference: Type.String() }))

export const PaymentView = Type.Object({
  kind: Type.Literal('payment'),
  ...COMMON_VIEW,
  /** Why it failed; null otherwise. */
  failure: nullable(Type.Object({ code: oneOf(Object.keys(PAYMENT_FAILURES) as PaymentFailure[]) })),
  payment: SurfacePayment,
  receipt: Receipt,
})
export type PaymentView = Static<typeof PaymentView>

/** A standing permission: as the merchant asks for it until the approval, then as it was allowed. */
export const SurfaceMandate = Type.Object({
  /** The payee that the request names, and at `listed` the only shop that may charge. */
  merchant_name: Type.String(),
  merchant_url: Type.String(),
  /** The cap of each charge, and of all charges of one week, month or year together. */
  amount: Type.String(),
  currency: Type.String(),
  recurring_frequency: oneOf(RECURRING_FREQUENCIES),
  merchant_scope: oneOf(MERCHANT_SCOPES),
  /** How many charges the whole permission allows; null where only the cap limits their number. */
  max_charges: nullable(Type.Integer()),
  /** Null for `one_time`: seven days from the approval. */
  valid_until: nullable(Type.String()),
  /** The most that can ever be charged. */
  most_total: Type.String(),
  /** Whether the cardholder may lower the cap and bring the end nearer. */
  adjustable: Type.Boolean(),
  description: nullable(Type.String()),
})
export type SurfaceMandate = Static<typeof SurfaceMandate>

export const MandateSetupView = Type.Object({
  kind: Type.Literal('mandate_setup'),
  ...COMMON_VIEW,
  failure: nullable(Type.Object({ code: oneOf(Object.keys(SETUP_FAILURES) as SetupFailure[]) })),
  mandate: SurfaceMandate,
  receipt: Receipt,
})
export type MandateSetupView = Static<typeof MandateSetupView>

/** A card to be enrolled, without a payment. */
export const SurfaceEnrollment = Type.Object({
  /** The name of the account for whose payments the operator keeps the card. */
  merchant_name: Type.String(),
  /** The merchant named the card: no other one is entered. */
  card_fixed: Type.Boolean(),
  /** Once it is completed: whether its passkey was made here, or there before. */
  passkey: nullable(oneOf(ENROLLED_PASSKEYS)),
})
export type SurfaceEnrollment = Static<typeof SurfaceEnrollment>

export const EnrollmentView = Type.Object({
  kind: Type.Literal('enrollment'),
  ...COMMON_VIEW,
  failure: nullable(Type.Object({ code: oneOf(['CARD_DECLINED', 'PASSKEY_BLOCKED']) })),
  enrollment: SurfaceEnrollment,
})
export type EnrollmentView = Static<typeof EnrollmentView>

/** Everything the page may show, told apart by `kind`. A later kind is one more member of this union. */
export const SurfaceView = Type.Union([PaymentView, MandateSetupView, EnrollmentView])
export type SurfaceView = Static<typeof SurfaceView>

export const LaunchResponse = Type.Object({ session_token: Type.String(), view: SurfaceView })
export type LaunchResponse = Static<typeof LaunchResponse>

/** What terms of every kind say. Every key is always present, so that equal terms are equal bytes. */
const COMMON_TERMS = {
  /** The name of the operator, who keeps the card. */
  operator: Type.String(),
  sentence: Sentence,
  version: Type.Literal(1),
  session_id: Type.String(),
  account_id: Type.String(),
  customer_id: Type.String(),
  card: Type.Object({ id: Type.String(), brand: nullable(Type.String()), last4: Type.String() }),
  approve_by: Type.String(),
}

/** What terms about money say more. */
const MONEY_TERMS = {
  ...COMMON_TERMS,
  payee: Type.Object({ name: Type.String(), url: Type.String(), country: Type.String() }),
  amount: Type.String(),
  currency: Type.String(),
  description: nullable(Type.String()),
  /** The agent of the cardholder's that has asked; absent where a merchant has. */
  agent: Type.Optional(Type.Object({ id: Type.String(), name: Type.String() })),
}

/**
 * The terms of one purchase, in full: what the page shows, what the passkey's challenge binds and what is kept as
 * evidence. Money is text.
 */
export const PaymentTerms = Type.Object({
  ...MONEY_TERMS,
  type: Type.Literal('payment'),
  products: Type.Array(SurfaceProduct),
  summary: nullable(SurfaceSummary),
  /** How often the amount may be charged. */
  charges: Type.Integer(),
  /** How long the approval can be charged, from when it is given. */
  valid_minutes: Type.Integer(),
  /** What is bought at the payee by this service right after the approval; null: the merchant itself takes the payment. */
  quote_id: nullable(Type.String()),
})
export type PaymentTerms = Static<typeof PaymentTerms>

/** The terms of one standing permission, in full. `payee` is the merchant that it is asked at, also where any shop may be paid. */
export const MandateTerms = Type.Object({
  ...MONEY_TERMS,
  type: Type.Literal('mandate'),
  mandate_id: Type.String(),
  merchant_scope: oneOf(MERCHANT_SCOPES),
  frequency: oneOf(RECURRING_FREQUENCIES),
  max_charges: nullable(Type.Integer()),
  /** ISO 8601; null for `one_time`: seven days from the approval. */
  valid_until: nullable(Type.String()),
  most_total: Type.String(),
})
export type MandateTerms = Static<typeof MandateTerms>

/** The terms of an enrollment: which card is kept for whom. Nothing is charged. */
export const EnrollmentTerms = Type.Object({
  ...COMMON_TERMS,
  type: Type.Literal('card_enrollment'),
  merchant_name: Type.String(),
})
export type EnrollmentTerms = Static<typeof EnrollmentTerms>

/** What a cardholder can approve, told apart by `type`. */
export const ApprovalTerms = Type.Union([PaymentTerms, MandateTerms, EnrollmentTerms])
export type ApprovalTerms = Static<typeof ApprovalTerms>

/** WebAuthn options, as the library built them for the browser. */
export const CeremonyOptions = Type.Unsafe<object>({ type: 'object', additionalProperties: true })
export type CeremonyOptions = Static<typeof CeremonyOptions>

/** The terms the cardholder approves, and the WebAuthn request whose challenge binds it; its `timeout` is how long the challenge is taken. */
export const ApprovalOptions = Type.Object({ terms: ApprovalTerms, options: CeremonyOptions })
export type ApprovalOptions = Static<typeof ApprovalOptions>

/** `approval`: what `approval-options` says of the terms as the merchant asks for them; null where it was not asked for, or is not next. */
export const RegistrationResponse = Type.Object({ view: SurfaceView, approval: nullable(ApprovalOptions) })
export type RegistrationResponse = Static<typeof RegistrationResponse>
