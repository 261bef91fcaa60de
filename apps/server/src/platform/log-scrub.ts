import { luhnSum } from './luhn.ts'

/** Longer values are dropped whole: a cut could leave half a secret that no pattern recognises. */
const MAX_SCRUBBED_LENGTH = 8_192

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [^-\n]{1,60}-----[\s\S]*?(?:-----END [^-\n]{1,60}-----|$)/g, '[pem]'],
  [/sk_(?:test|live)_[A-Za-z0-9_-]*/g, '[secret key]'],
  [/whsec_[A-Za-z0-9+/=_-]*/g, '[webhook secret]'],
  [/eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*/g, '[token]'],
  [/\b(?:Bearer|Basic)\s+[^\s"',]+/gi, '[authorization]'],
]

/** Digits that may be grouped by single spaces, dots or dashes, as people write card numbers. */
const DIGIT_RUN = /\d(?:[ .-]?\d){12,}/g
/** Every access-log line passes here, so the common case is one test of a pattern. */
const SUSPICIOUS = /\d(?:[ .-]?\d){12}|-----BEGIN|sk_(?:test|live)_|whsec_|eyJ|\b(?:bearer|basic)\s/i
const MIN_CARD_DIGITS = 13
const MAX_CARD_DIGITS = 19

/**
 * The second net under the allow-list of log fields: everything that looks like a card number, a key, a token or a private key
 * is replaced, in every field.
 */
export function scrub(text: string): string {
  if (text.length > MAX_SCRUBBED_LENGTH) return '[too long]'
  if (!SUSPICIOUS.test(text)) return text
  let clean = text
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement)
  return clean.replace(DIGIT_RUN, scrubRun)
}

/**
 * A run may hold a card number between other digits ("5 4242 4242 4242 4242"), so every window of card length is tried,
 * and all the digits of all that fit are hidden: one that fits by chance must not leave part of a real one visible.
 */
function scrubRun(run: string): string {
  const places = [...run.matchAll(/\d/g)].map(({ index }) => index)
  const digits = places.map((place) => Number(run[place]))
  let clean = ''
  let copied = 0
  let hiddenTo = -1
  for (let start = 0; start + MIN_CARD_DIGITS <= digits.length; start += 1) {
    const length = longestCard(digits, start)
    if (length === 0) continue
    if (start > hiddenTo) clean += `${run.slice(copied, places[start])}[card number]`
    hiddenTo = Math.max(hiddenTo, start + length - 1)
    copied = (places[hiddenTo] ?? 0) + 1
  }
  return clean + run.slice(copied)
}

function longestCard(digits: readonly number[], start: number): number {
  for (let length = Math.min(MAX_CARD_DIGITS, digits.length - start); length >= MIN_CARD_DIGITS; length -= 1) {
    if (looksLikeCard(digits, start, length)) return length
  }
  return 0
}

/** A run of zeros passes the check too, and is no card. */
function looksLikeCard(digits: readonly number[], start: number, length: number): boolean {
  const sum = luhnSum(digits, start, length)
  return sum > 0 && sum % 10 === 0
}
