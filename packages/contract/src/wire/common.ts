import { type Static, type TSchemaOptions, Type } from 'typebox'
import { AMOUNT_PATTERN, AMOUNT_PROBLEM } from '../amounts.ts'
import { COUNTRIES, type Country } from '../countries.ts'
import { CURRENCIES, type Currency } from '../currencies.ts'

/** An id or reference: compared byte by byte, without control characters. */
export const reference = (maxLength: number, description: string, ...examples: string[]) =>
  Type.String({ minLength: 1, maxLength, format: 'clean-text', description, ...shown(examples) })

/** The merchant's own name for a customer. It may be written like an id of ours, and is told apart from them where they are taken. */
export const userId = (blank: 'allowed' | 'refused') =>
  Type.String({
    minLength: 1,
    maxLength: 255,
    format: 'clean-text',
    ...(blank === 'refused' && { not: BLANK }),
    description: 'Your own name for the customer, compared byte by byte.',
    examples: ['user-1'],
  })

/** The same where it may be absent: an empty text says so too. */
export const optionalReference = (maxLength: number, description: string, ...examples: string[]) =>
  Type.Optional(
    Type.String({ maxLength, format: 'clean-text', description: `${description} ${EMPTY}`, ...shown(examples) }),
  )

/** What people read: something can be seen of it. White space of any kind is folded to single blanks when it is stored. */
export const freeText = (maxLength: number, description: string, ...examples: string[]) =>
  Type.String({
    minLength: 1,
    maxLength,
    format: 'free-text',
    not: BLANK,
    description: `${description} ${FOLDED}`,
    ...shown(examples),
  })

/** What a person or a thing is called: it shows a letter, a digit or a symbol. */
export const displayName = (maxLength: number, description: string, ...examples: string[]) =>
  Type.String({
    minLength: 1,
    maxLength,
    format: 'name',
    not: BLANK,
    description: `${description} ${FOLDED}`,
    ...shown(examples),
  })

/** The same as `freeText` where it may be absent. */
export const optionalFreeText = (maxLength: number, description: string, ...examples: string[]) =>
  Type.Optional(
    Type.String({
      maxLength,
      format: 'free-text',
      description: `${description} ${FOLDED} ${EMPTY}`,
      ...shown(examples),
    }),
  )

const shown = (examples: string[]): TSchemaOptions => (examples.length === 0 ? {} : { examples })
const EMPTY = 'Empty means absent.'
const FOLDED = 'White space is folded to single blanks.'
/** With U+0085, which is folded as all white space is, and is none to a pattern. */
const BLANK = { type: 'string', pattern: '^[\\s\\u0085]*$', 'x-message': 'must not be blank' }
const ZERO = { type: 'string', pattern: '^[0.]*$', 'x-message': 'must be greater than zero' }
const MONEY = { pattern: AMOUNT_PATTERN, 'x-message': AMOUNT_PROBLEM } as const

export const Amount = Type.String({
  ...MONEY,
  title: 'Amount',
  description:
    'Money as a decimal string, greater than zero. JPY, KRW, VND, CLP and UGX have no minor unit: their fraction is zero.',
  not: ZERO,
  examples: ['40.00'],
})
export const AmountOrZero = Type.String({
  ...MONEY,
  title: 'AmountOrZero',
  description: 'Money as a decimal string; may be zero.',
  examples: ['40.00'],
})
export const CurrencyCode = Type.Unsafe<Currency>({
  type: 'string',
  title: 'Currency',
  description: 'ISO 4217 code of a supported currency.',
  enum: [...CURRENCIES],
  'x-message': 'must be one of the supported currencies, 3 uppercase letters',
})
export const CountryCode = Type.Unsafe<Country>({
  type: 'string',
  title: 'Country',
  description: 'Two letters of ISO 3166-1.',
  enum: [...COUNTRIES],
  'x-message': 'must be a country of ISO 3166-1, 2 uppercase letters',
})
export const httpsUrl = (description: string, ...examples: string[]) =>
  Type.String({ format: 'https-url', maxLength: 2048, description, ...shown(examples) })
/** How the person who approves reads: in which language they are asked, and how amounts and dates are written. */
export const LanguageTag = Type.String({
  format: 'language-tag',
  maxLength: 35,
  description:
    'How the cardholder reads: a language tag of BCP 47. Without it, and for languages that the page does not speak, the browser decides.',
  examples: ['de-AT'],
})
export const dateTime = (description: string) => Type.String({ format: 'date-time', description })

const ErrorContent = Type.Object(
  {
    code: Type.String({ description: 'Stable; branch on this.', examples: ['VAL_2001'] }),
    message: Type.String({ description: 'For people; may change.' }),
    details: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Path of each failing field and what is wrong with it.',
        examples: [{ currency: 'is required' }],
      }),
    ),
  },
  { title: 'ErrorContent', description: 'What went wrong.' },
)

/** The body of every error response of the main API. */
export const ErrorEnvelope = Type.Object(
  { error: ErrorContent },
  { title: 'Error', description: 'The body of every error response.' },
)
export type ErrorEnvelope = Static<typeof ErrorEnvelope>
