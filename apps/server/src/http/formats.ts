import { isEmail } from '../platform/email.ts'
import { foldWhiteSpace, isCleanText, showsName, showsSomething } from '../platform/text.ts'

interface Format {
  readonly test: (text: string) => boolean
  /** What is wrong with a text that does not fit. Never a part of the text. */
  readonly message: string | ((text: string) => string)
}

/**
 * String formats a schema may name, with the words a caller reads when a value does not fit. They replace the validator
 * library's own, which accept undeliverable addresses and dates that do not exist.
 */
export const FORMATS: Readonly<Record<string, Format>> = {
  email: { test: isEmail, message: 'must be an email address' },
  uri: { test: isUri, message: 'must be an absolute URL' },
  'https-url': { test: isHttpsUrl, message: 'must be a URL that starts with https://' },
  'date-time': { test: isDateTime, message: 'must be a date and time such as "2026-01-31T12:00:00Z"' },
  date: { test: isDate, message: 'must be a date such as "2026-01-31"' },
  'language-tag': { test: isLanguageTag, message: 'must be a language tag such as "de-AT" (BCP 47)' },
  uuid: { test: (text) => UUID.test(text), message: 'must be a UUID' },
  'clean-text': { test: isCleanText, message: 'must not contain control characters' },
  'free-text': { test: isFreeText, message: (text) => freeTextProblem(text) ?? SHOWS_NOTHING },
  name: { test: isName, message: (text) => freeTextProblem(text) ?? NO_NAME },
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** What `new URL` would trim, drop or turn round is refused: two readers must see the same URL. */
const URL_TEXT = /^[a-z][a-z0-9+.-]*:[^\s\\\p{Cc}\p{Cf}]+$/iu

function isUri(text: string): boolean {
  return URL_TEXT.test(text) && URL.canParse(text)
}

/** With a host and a port of the most characters that they have: to read a host of other letters than ASCII takes the square of its length. */
const HTTPS = /^https:\/\/[^/?#]{1,259}(?:[/?#]|$)/i

function isHttpsUrl(text: string): boolean {
  if (!HTTPS.test(text) || !isUri(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](\d\d):(\d\d))$/

function isDateTime(text: string): boolean {
  const match = DATE_TIME.exec(text)
  if (match === null) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return false
  // `Date` rolls 30 February over to March instead of refusing it.
  const date = new Date(Date.UTC(2000, month - 1, day))
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isDateTime(`${text}T00:00:00Z`)
}

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

const SHOWS_NOTHING = 'must show something: nothing can be seen of this'
const NO_NAME = 'must show a letter, a digit or a symbol'

function freeTextProblem(text: string): string | undefined {
  return isCleanText(foldWhiteSpace(text)) ? undefined : 'must not contain control characters other than white space'
}

/** Blank is another fault, or means absent: that is said where the text is described. */
const isBlank = (text: string) => foldWhiteSpace(text) === ''

function isFreeText(text: string): boolean {
  return freeTextProblem(text) === undefined && (isBlank(text) || showsSomething(text))
}

function isName(text: string): boolean {
  return freeTextProblem(text) === undefined && (isBlank(text) || showsName(text))
}
