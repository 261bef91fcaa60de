import { CURRENCIES, type Currency } from '@mintmark/contract'
import { checkDestination, MAX_URL_LENGTH } from '../../platform/egress/destination.ts'
import type { EgressPolicy } from '../../platform/egress/policy.ts'
import { passesLuhn } from '../../platform/luhn.ts'
import { cleaned, foldWhiteSpace, showsSomething } from '../../platform/text.ts'

/** What a shop wrote, made fit to be stored and shown. An id is taken as it is or not at all; text is cut. */

export const MAX_LENGTHS = { title: 200, description: 2000, category: 100 } as const

/** Printable ASCII without blanks, and no part of a path that means another one. */
export const FOREIGN_ID_PATTERN = '^(?!\\.{1,2}$)[\\x21-\\x7e]{1,200}$'
const FOREIGN_ID = new RegExp(FOREIGN_ID_PATTERN)

export function isForeignId(value: unknown): value is string {
  return typeof value === 'string' && FOREIGN_ID.test(value)
}

/** Nothing, or words of printable ASCII with single blanks between them: cleaning returns it as it is. */
const PLAIN_TEXT = /^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*)?$/

/** Most of the thousands of texts in a feed are plain, and hardly one is too long: no other is taken apart into its characters. */
export function cleanText(text: string, longest: number): string {
  if (text.length <= longest && PLAIN_TEXT.test(text)) return text
  const clean = cleaned(foldWhiteSpace(text).toWellFormed())
  if (clean.length <= longest) return clean.trim()
  return [...clean.slice(0, longest * 2)].slice(0, longest).join('').trim()
}

/** What a shop calls a thing: the first of these texts of which something can be seen; empty where there is none. */
export function cleanTitle(...texts: readonly (string | null | undefined)[]): string {
  return texts.map((text) => cleanText(text ?? '', MAX_LENGTHS.title)).find(showsSomething) ?? ''
}

export function optionalCleanText(text: string | null | undefined, longest: number): string | null {
  return cleanText(text ?? '', longest) || null
}

const PLAIN_CODE = /^[\x20-\x7e]{1,200}$/

/**
 * An order number or an authorization code, as the shop said it. One that cannot be shown is left out, and so is one that is a card
 * number by its form: what was paid stays paid.
 */
export function optionalCode(value: unknown): string | null {
  return typeof value === 'string' && PLAIN_CODE.test(value) && !isCardNumber(value) ? value : null
}

/** As a whole: digits of a card stand by chance in many long ids. */
function isCardNumber(text: string): boolean {
  const digits = text.replaceAll(/[ .-]/g, '')
  return /^[2-6]\d{12,18}$/.test(digits) && passesLuhn(digits)
}

/** As long as the name of a host may be. */
const MAX_HOST_LENGTH = 253
const NOT_ASCII = /[^\p{ASCII}]/u

/**
 * A host of other letters is spelt in ASCII when it is read, which takes the square of its length: a page of pictures at hosts of thousands
 * of letters takes seconds. Where in a text the host is, only that reading tells.
 */
function isTooLong(text: string): boolean {
  return text.length > MAX_URL_LENGTH || (text.length > MAX_HOST_LENGTH && NOT_ASCII.test(text))
}

/** Where a picture is: over TLS, or on this machine where that is allowed to shops. Null for every other text. */
export function imageUrl(text: string | null | undefined, policy: EgressPolicy, baseUrl: string): string | null {
  if (text === null || text === undefined || isTooLong(text) || !URL.canParse(text, baseUrl)) return null
  const { href, protocol, host } = new URL(text, baseUrl)
  const isOwn = host === new URL(baseUrl).host
  const checked = checkDestination(href, policy)
  return checked.kind === 'allowed' && (protocol === 'https:' || isOwn) ? checked.url : null
}

const KNOWN_CURRENCIES: ReadonlySet<unknown> = new Set(CURRENCIES)

export function isCurrency(value: unknown): value is Currency {
  return KNOWN_CURRENCIES.has(value)
}
