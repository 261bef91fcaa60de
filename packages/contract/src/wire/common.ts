import { type Static, Type } from 'typebox'
import { AMOUNT_PATTERN, AMOUNT_PROBLEM } from '../amounts.ts'
import { COUNTRIES, type Country } from '../countries.ts'
import { CURRENCIES, type Currency } from '../currencies.ts'

/** An id or reference: compared byte by byte, without control characters. */
export const reference = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: 'clean-text' })

/** The same where it may be absent: an empty text says so too. */
export const optionalReference = (maxLength: number) =>
  Type.Optional(Type.String({ maxLength, format: 'clean-text', description: EMPTY_IS_ABSENT }))

/** What people read. White space of any kind is folded to single blanks when it is stored. */
export const freeText = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: 'free-text', not: BLANK })

/** The same where it may be absent. */
export const optionalFreeText = (maxLength: number) =>
  Type.Optional(Type.String({ maxLength, format: 'free-text', description: EMPTY_IS_ABSENT }))

const EMPTY_IS_ABSENT = 'Empty means absent.'
const BLANK = { type: 'string', pattern: '^\\s*$', 'x-message': 'must not be blank' }
const ZERO = { type: 'string', pattern: '^[0.]*$', 'x-message': 'must be greater than zero' }
const MONEY = { pattern: AMOUNT_PATTERN, 'x-message': AMOUNT_PROBLEM } as const

export const Amount = Type.String({ ...MONEY, not: ZERO, examples: ['40.00'] })
export const AmountOrZero = Type.String({ ...MONEY, examples: ['0.00'] })
export const CurrencyCode = Type.Unsafe<Currency>({
  type: 'string',
  enum: [...CURRENCIES],
  'x-message': 'must be one of the supported currencies, 3 uppercase letters',
})
export const CountryCode = Type.Unsafe<Country>({
  type: 'string',
  enum: [...COUNTRIES],
  'x-message': 'must be a country of ISO 3166-1, 2 uppercase letters',
})
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
