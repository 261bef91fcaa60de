import { CURRENCIES, SESSION_STATUSES, SURFACE_OUTCOMES, SURFACE_STEPS } from '@mintmark/contract'
import { type Static, Type } from 'typebox'
import { AMOUNT_PATTERN } from '../platform/money.ts'

const strict = { additionalProperties: false } as const
const Digits = (min: number, max: number) =>
  Type.String({
    pattern: `^[0-9]{${min},${max}}$`,
    'x-message': `must be ${min === max ? min : `${min} to ${max}`} digits`,
  })

/** Where a headless cardholder walks away: after the named step has succeeded. */
export const STOP_AFTER = ['card', 'card_verification', 'passkey'] as const
export type StopAfter = (typeof STOP_AFTER)[number]

export const CompleteBody = Type.Object(
  {
    card_number: Type.Optional(
      Type.String({ minLength: 12, maxLength: 23, pattern: '^[0-9 -]+$', 'x-message': 'must be a card number' }),
    ),
    card_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' })),
    stop_after: Type.Optional(Type.Unsafe<StopAfter>({ type: 'string', enum: [...STOP_AFTER] })),
  },
  strict,
)
export type CompleteBody = Static<typeof CompleteBody>

export const CompleteResponse = Type.Object({
  session_id: Type.String(),
  status: Type.Unsafe({ type: 'string', enum: [...SESSION_STATUSES] }),
  card_id: Type.Union([Type.String(), Type.Null()]),
  next_step: Type.Unsafe({ type: 'string', enum: [...SURFACE_STEPS] }),
  outcome: Type.Union([Type.String({ enum: [...SURFACE_OUTCOMES] }), Type.Null()]),
})

export const AdvanceBody = Type.Object({ seconds: Type.Integer({ minimum: 1, maximum: 315_360_000 }) }, strict)
export const AdvanceResponse = Type.Object({ now: Type.String({ format: 'date-time' }) })

export const AuthorizationBody = Type.Object(
  {
    token: Digits(12, 19),
    dynamic_cvv: Digits(3, 4),
    expiry_month: Digits(2, 2),
    expiry_year: Digits(4, 4),
    amount: Type.String({ pattern: AMOUNT_PATTERN, 'x-message': 'must be a decimal string such as "40.00"' }),
    currency: Type.Unsafe<(typeof CURRENCIES)[number]>({ type: 'string', enum: [...CURRENCIES] }),
    merchant_url: Type.String({ format: 'uri', maxLength: 2048 }),
  },
  strict,
)
export type AuthorizationBody = Static<typeof AuthorizationBody>

export const AuthorizationResponse = Type.Object({
  authorization_id: Type.String(),
  approved: Type.Boolean(),
  response_code: Type.String({ description: 'ISO 8583; 00 is approved.' }),
  authorization_code: Type.Optional(Type.String()),
})
