import { type Static, Type } from 'typebox'
import { AMOUNT_PATTERN, AMOUNT_PROBLEM } from '../amounts.ts'
import { CURRENCIES, type Currency } from '../currencies.ts'

/** Text a person typed, without control characters. */
export const typedText = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: 'clean-text' })

export const Amount = Type.String({
  pattern: AMOUNT_PATTERN,
  'x-message': AMOUNT_PROBLEM,
  examples: ['40.00'],
})
export const CurrencyCode = Type.Unsafe<Currency>({
  type: 'string',
  enum: [...CURRENCIES],
  'x-message': 'must be one of the supported currencies, 3 uppercase letters',
})
export const Country = Type.String({ pattern: '^[A-Z]{2}$', 'x-message': 'must be 2 uppercase letters (ISO 3166-1)' })
export const HttpsUrl = Type.String({ format: 'https-url', maxLength: 2048 })
export const DateTime = Type.String({ format: 'date-time' })

/** The body of every error response of the main API. */
export const ErrorEnvelope = Type.Object({
  error: Type.Object({
    code: Type.String({ description: 'Stable; branch on this.' }),
    message: Type.String({ description: 'For people; may change.' }),
    details: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Path of each failing field and what is wrong with it.',
      }),
    ),
  }),
})
export type ErrorEnvelope = Static<typeof ErrorEnvelope>
