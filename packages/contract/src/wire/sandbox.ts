import { type Static, Type } from 'typebox'
import { SESSION_STATUSES, STOP_AFTER } from '../states.ts'
import { SURFACE_OUTCOMES, SURFACE_STEPS } from '../surface.ts'
import { Amount, CurrencyCode, DateTime, reference } from './common.ts'
import { nullable, oneOf, STRICT } from './schema.ts'

/** The test helpers of the main API. They exist in the sandbox only. */
const digits = (min: number, max: number) =>
  Type.String({
    pattern: `^[0-9]{${min},${max}}$`,
    'x-message': `must be ${min === max ? min : `${min} to ${max}`} digits`,
  })

export const CompleteBody = Type.Object(
  {
    card_number: Type.Optional(
      Type.String({ minLength: 12, maxLength: 23, pattern: '^[0-9 -]+$', 'x-message': 'must be a card number' }),
    ),
    card_id: Type.Optional(reference(64)),
    stop_after: Type.Optional(oneOf(STOP_AFTER)),
  },
  STRICT,
)
export type CompleteBody = Static<typeof CompleteBody>

export const CompleteResponse = Type.Object({
  session_id: Type.String(),
  status: oneOf(SESSION_STATUSES),
  card_id: nullable(Type.String()),
  next_step: oneOf(SURFACE_STEPS),
  outcome: nullable(oneOf(SURFACE_OUTCOMES)),
})
export type CompleteResponse = Static<typeof CompleteResponse>

export const AdvanceBody = Type.Object({ seconds: Type.Integer({ minimum: 1, maximum: 315_360_000 }) }, STRICT)
export type AdvanceBody = Static<typeof AdvanceBody>

export const AdvanceResponse = Type.Object({ now: DateTime })
export type AdvanceResponse = Static<typeof AdvanceResponse>

export const AuthorizationBody = Type.Object(
  {
    token: digits(12, 19),
    dynamic_cvv: digits(3, 4),
    expiry_month: digits(2, 2),
    expiry_year: digits(4, 4),
    amount: Amount,
    currency: CurrencyCode,
    merchant_url: Type.String({ format: 'uri', maxLength: 2048 }),
  },
  STRICT,
)
export type AuthorizationBody = Static<typeof AuthorizationBody>

export const AuthorizationResponse = Type.Object({
  authorization_id: Type.String(),
  approved: Type.Boolean(),
  response_code: Type.String({ description: 'ISO 8583; 00 is approved.' }),
  authorization_code: Type.Optional(Type.String()),
})
export type AuthorizationResponse = Static<typeof AuthorizationResponse>
