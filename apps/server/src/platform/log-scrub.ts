/** Longer values are dropped whole: a cut could leave half a secret that no pattern recognises. */
const LONGEST_SCRUBBED = 8_192

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [^-\n]{1,60}-----[\s\S]*?(?:-----END [^-\n]{1,60}-----|$)/g, '[pem]'],
  [/sk_(?:test|live)_[A-Za-z0-9_-]*/g, '[secret key]'],
  [/whsec_[A-Za-z0-9+/=_-]*/g, '[webhook secret]'],
  [/eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*/g, '[token]'],
  [/\b(?:Bearer|Basic)\s+[^\s"',]+/gi, '[authorization]'],
]

/** Digits that may be grouped by single spaces, dots or dashes, as people write card numbers. */
const DIGIT_RUN = /\d(?:[ .-]?\d){12,}/g
/** Every access-log line passes here, so the common case is one look. */
const SUSPICIOUS = /\d(?:[ .-]?\d){12}|-----BEGIN|sk_(?:test|live)_|whsec_|eyJ|\b(?:bearer|basic)\s/i
const SHORTEST_CARD = 13
const LONGEST_CARD = 19

/**
 * The second net under the allow-list of log fields: whatever looks like a card number, a key, a token or a private key
 * is replaced, wherever it turns up.
 */
export function scrub(text: string): string {
  if (text.length > LONGEST_SCRUBBED) return '[too long]'
  if (!SUSPICIOUS.test(text)) return text
  let clean = text
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement)
  return clean.replace(DIGIT_RUN, scrubRun)
}

/**
 * A run may hold a card number between other digits ("5 4242 4242 4242 4242"), so every window of card length is tried,
 * the longest first, and the first that fits hides all its digits.
 */
function scrubRun(run: string): string {
  const digits: number[] = []
  const places: number[] = []
  for (let place = 0; place < run.length; place += 1) {
    const digit = run.charCodeAt(place) - 48
    if (digit < 0 || digit > 9) continue
    digits.push(digit)
    places.push(place)
  }
  for (let start = 0; start + SHORTEST_CARD <= digits.length; start += 1) {
    for (let length = Math.min(LONGEST_CARD, digits.length - start); length >= SHORTEST_CARD; length -= 1) {
      if (!passesLuhn(digits, start, length)) continue
      const rest = run.slice((places[start + length - 1] ?? 0) + 1)
      return `${run.slice(0, places[start])}[card number]${rest.replace(DIGIT_RUN, scrubRun)}`
    }
  }
  return run
}

function passesLuhn(digits: readonly number[], start: number, length: number): boolean {
  let sum = 0
  for (let step = 0; step < length; step += 1) {
    const digit = digits[start + length - 1 - step] ?? 0
    const doubled = step % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  // A run of zeros passes too, and is no card.
  return sum > 0 && sum % 10 === 0
}
