import { CARD_BRANDS } from '@mintmark/contract'
import creditCardType from 'credit-card-type'
import { type ErrorDetails, fieldErrors } from '../platform/errors.ts'
import { passesLuhn } from '../platform/luhn.ts'
import { type Secret, secret } from '../platform/secret.ts'

/** A card as the cardholder typed it, checked. What may be shown of it is plain, the number is not. */
export interface EnteredCard {
  number: Secret
  last4: string
  /** Lower-case wire name; null when no brand owns the number. */
  brand: string | null
  expMonth: number
  expYear: number
}

/** The card fields of a request body, under their wire names. */
export interface CardInput {
  card_number: string
  expiry_month: string
  expiry_year: string
}

/** The wire's name by the library's, and back. A network that is in no table has the library's name on the wire too. */
const WIRE_BRANDS = new Map<string, string>(
  Object.entries(CARD_BRANDS).map(([brand, { libraryName }]) => [libraryName, brand]),
)
const LIBRARY_BRANDS = new Map<string, string>(
  Object.entries(CARD_BRANDS).map(([brand, { libraryName }]) => [brand, libraryName]),
)

/** As people write and paste numbers. The bound keeps a huge body away from the loops below. */
const WRITTEN_NUMBER = /^[0-9 -]{12,64}$/
/**
 * No card has a number that begins with 0, which is no industry that issues cards, or with 999, which is no country that numbers its own
 * (ISO/IEC 7812). People make such numbers up: all zeros pass every check digit.
 */
const NUMBER = /^(?!0|999)[0-9]{12,19}$/
const MONTH = /^(?:0?[1-9]|1[0-2])$/
const YEAR = /^(?:[0-9]{2}|[0-9]{4})$/
/** No issuer dates a card further ahead; a later year is a typing mistake. */
const MAX_YEARS_AHEAD = 20

/**
 * Checks a card as entered and reports all failing fields together. The messages never quote the input: they travel to
 * logs and screens, and a mistyped number is still a number. A card is good until its month is over in UTC; the issuer
 * has the last word on the hours around it.
 */
export function parseCard(input: CardInput, now: Date): EnteredCard {
  const read = parseNumber(input.card_number)
  const details: ErrorDetails = read === undefined ? { card_number: 'is not a valid card number' } : {}
  const { month, year } = parseExpiry(input, now, details)
  if (read === undefined || Object.keys(details).length > 0) throw fieldErrors(details)
  const { digits, brand } = read
  return { number: secret(digits), last4: digits.slice(-4), brand, expMonth: month, expYear: year }
}

/** Checks the card verification value: three digits, four with the brands that print four. */
export function parseCvv(cvv: string, brand: string | null): Secret {
  const size = brand === null ? undefined : codeSize(brand)
  const valid = size === undefined ? /^[0-9]{3,4}$/.test(cvv) : /^[0-9]+$/.test(cvv) && cvv.length === size
  if (!valid) throw fieldErrors({ cvv: `must be the ${size ?? '3 or 4'} digits of the card's security code` })
  return secret(cvv)
}

function parseNumber(text: string): { digits: string; brand: string | null } | undefined {
  if (!WRITTEN_NUMBER.test(text)) return undefined
  const digits = text.replace(/[ -]/g, '')
  if (!NUMBER.test(digits)) return undefined
  const [known] = creditCardType(digits)
  if (known !== undefined && !known.lengths.includes(digits.length)) return undefined
  const brand = known === undefined ? null : (WIRE_BRANDS.get(known.type) ?? known.type)
  return passesLuhn(digits) ? { digits, brand } : undefined
}

function codeSize(brand: string): number | undefined {
  // The library's types promise an entry; for a name it does not know there is none.
  const known: { code: { size: number } } | undefined = creditCardType.getTypeInfo(LIBRARY_BRANDS.get(brand) ?? brand)
  return known?.code.size
}

function parseExpiry(input: CardInput, now: Date, details: ErrorDetails): { month: number; year: number } {
  const monthValid = MONTH.test(input.expiry_month)
  const yearValid = YEAR.test(input.expiry_year)
  if (!monthValid) details.expiry_month = 'must be a month from 01 to 12'
  if (!yearValid) details.expiry_year = 'must be a year of two or four digits'
  const month = Number(input.expiry_month)
  const year = Number(input.expiry_year) + (input.expiry_year.length === 2 ? 2000 : 0)
  const thisYear = now.getUTCFullYear()
  if (yearValid && year < thisYear) details.expiry_year = 'the card has expired'
  if (yearValid && year > thisYear + MAX_YEARS_AHEAD) details.expiry_year = 'is too far ahead'
  if (monthValid && year === thisYear && month < now.getUTCMonth() + 1) details.expiry_month = 'the card has expired'
  return { month, year }
}
