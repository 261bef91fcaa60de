import { COUNTRIES } from '@mintmark/contract'
import type { DeclineReason } from '../network/port.ts'

/** The first digits of a number that tell of its issuer. */
export const BIN_DIGITS = 8

/** What is known of cards whose first eight digits lie between two numbers. Null: not known. */
export interface BinRange {
  first: number
  last: number
  country: string | null
  issuer: string | null
}
export type BinFacts = Pick<BinRange, 'country' | 'issuer'>

/** Which cards a merchant accepts. Null: any. */
export interface CardRules {
  countries: readonly string[] | null
  issuers: readonly string[] | null
}

const normal = (name: string) => name.trim().toLowerCase()

/** Why a card is not accepted; null: it is. What is not known of a card is not what a rule asks for. */
export function refusalOf(rules: CardRules, facts: BinFacts | null): DeclineReason | null {
  const { countries, issuers } = rules
  const country = facts?.country ?? null
  if (countries !== null && (country === null || !countries.includes(country))) return 'BIN_COUNTRY_NOT_ALLOWED'
  const issuer = facts?.issuer ?? null
  const isListed = issuer !== null && issuers?.some((name) => normal(name) === normal(issuer))
  return issuers !== null && !isListed ? 'BIN_ISSUER_NOT_ALLOWED' : null
}

/** The columns of a table to import, in any order; others are not looked at. */
export const COLUMNS = ['first', 'last', 'country', 'issuer'] as const
const ALIASES: Readonly<Record<string, (typeof COLUMNS)[number]>> = {
  ...{ first: 'first', bin: 'first', bin_start: 'first', last: 'last', bin_end: 'last' },
  ...{ country: 'country', country_code: 'country', issuer: 'issuer', bank: 'issuer' },
}

/** Where each column is. Undefined: the line is no head of such a table. */
export function readHead(line: string): Partial<Record<(typeof COLUMNS)[number], number>> | undefined {
  const places: Partial<Record<(typeof COLUMNS)[number], number>> = {}
  for (const [place, name] of cells(line).entries()) {
    const column = ALIASES[normal(name)]
    if (column !== undefined) places[column] ??= place
  }
  return places.first === undefined ? undefined : places
}

const COUNTRY_CODES: ReadonlySet<string> = new Set(COUNTRIES)
const PREFIX = /^[0-9]{4,8}$/

/** A line of the table; a text says what is wrong with it. A short number stands for all that begin with it. */
export function readRange(line: string, places: NonNullable<ReturnType<typeof readHead>>): BinRange | string {
  const found = cells(line)
  const cell = (column: (typeof COLUMNS)[number]) => {
    const place = places[column]
    return place === undefined ? '' : (found[place] ?? '').trim()
  }
  const [from, to] = [cell('first'), cell('last') === '' ? cell('first') : cell('last')]
  if (!PREFIX.test(from) || !PREFIX.test(to)) return 'a number must have 4 to 8 digits'
  const [first, last] = [Number(from.padEnd(BIN_DIGITS, '0')), Number(to.padEnd(BIN_DIGITS, '9'))]
  if (last < first) return 'the last number is below the first'
  const country = cell('country').toUpperCase()
  if (country !== '' && !COUNTRY_CODES.has(country)) return 'the country is none of ISO 3166-1'
  const issuer = cell('issuer')
  if (issuer.length > 200) return 'the name of the issuer is too long'
  return { first, last, country: country === '' ? null : country, issuer: issuer === '' ? null : issuer }
}

/**
 * The cells of one line of CSV (RFC 4180); a cell may not go on in the next line. Each begins with a comma, so no match
 * is empty: after an empty one `matchAll` takes a step, and the cell behind an empty first cell would be lost.
 */
function cells(line: string): string[] {
  const found = `,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)
  return [...found].map(([, quoted, plain = '']) => (quoted === undefined ? plain : quoted.replaceAll('""', '"')))
}
