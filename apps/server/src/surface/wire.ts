import { SURFACE_OUTCOMES, SURFACE_STEPS } from '@mintmark/contract'
import { Type } from 'typebox'

const strict = { additionalProperties: false } as const
const Id = Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' })
const Entered = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: 'clean-text' })

export const LaunchBody = Type.Object({ merchant_id: Id, session_id: Id, launch_secret: Id }, strict)
export const EnterCardBody = Type.Object(
  {
    card_number: Type.Optional(Entered(40)),
    expiry_month: Type.Optional(Entered(2)),
    expiry_year: Type.Optional(Entered(4)),
    cvv: Entered(4),
  },
  strict,
)
export const SelectCardBody = Type.Object({ card_id: Id }, strict)
export const VerifyCardBody = Type.Object({ code: Entered(12) }, strict)
export const FrameBody = Type.Object({ frame: Type.Object({ embedded: Type.Boolean() }, strict) }, strict)
/** The browser's answer to a ceremony; its inside is checked by the ceremony itself. */
export const CeremonyBody = Type.Object({ response: Type.Unknown() }, strict)

const nullable = <T extends ReturnType<typeof Type.Object> | ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()])

const Card = Type.Object({
  card_id: Type.String(),
  card_last4: Type.String(),
  card_brand: nullable(Type.String()),
  card_exp_month: Type.Integer(),
  card_exp_year: Type.Integer(),
})

export const View = Type.Object({
  session_id: Type.String(),
  step: Type.Unsafe({ type: 'string', enum: [...SURFACE_STEPS] }),
  outcome: nullable(Type.String({ enum: [...SURFACE_OUTCOMES] })),
  failure: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
  integration_type: Type.String(),
  allowed_origins: Type.Array(Type.String()),
  return_url: nullable(Type.String()),
  expires_at: Type.String(),
  now: Type.String(),
  environment: Type.String(),
  payment: Type.Object({
    merchant_name: Type.String(),
    merchant_url: Type.String(),
    amount: Type.String(),
    currency: Type.String(),
    description: nullable(Type.String()),
    products: Type.Array(Type.Object({ name: Type.String(), unit_price: Type.String(), quantity: Type.Integer() })),
  }),
  cards: Type.Array(Card),
  card: Type.Union([Card, Type.Null()]),
  card_on_file: Type.Union([Type.Omit(Card, ['card_id']), Type.Null()]),
  has_passkey: Type.Boolean(),
})

export const LaunchResponse = Type.Object({ session_token: Type.String(), view: View })
/** WebAuthn options go to the browser as the library built them. */
export const CeremonyOptions = Type.Unsafe<object>({ type: 'object', additionalProperties: true })
export const ApprovalOptionsResponse = Type.Object({ statement: CeremonyOptions, options: CeremonyOptions })
