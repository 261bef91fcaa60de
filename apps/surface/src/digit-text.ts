/** A text and where the caret stands in it. */
interface Typed {
  text: string
  caret: number
}

/**
 * The digits of all scripts as those of ASCII: keyboards and input methods write `４２`, `٤٢` or `४२`. The rest stays as
 * it is.
 */
export function asciiDigits(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, digitValue)
}

/** Each script has its ten digits in a row, from zero on, and rows that touch are whole ones. */
function digitValue(digit: string): string {
  if (/[0-9]/.test(digit)) return digit
  let before = 0
  for (let code = (digit.codePointAt(0) ?? 0) - 1; /\p{Nd}/u.test(String.fromCodePoint(code)); code -= 1) before += 1
  return String(before % 10)
}

export function digitsOf(text: string): string {
  return asciiDigits(text).replaceAll(/\D/g, '')
}

/** How many digits stand before a place in a text. */
export function digitsBefore(text: string, caret: number): number {
  return digitsOf(text.slice(0, caret)).length
}

/** Digits in groups, a space after each gap: gaps 4, 8, 12 make `4242 4242 4242 4242`. */
export function grouped(digits: string, gaps: readonly number[]): string {
  let text = ''
  for (const [index, digit] of [...digits].entries()) text += gaps.includes(index) ? ` ${digit}` : digit
  return text
}

/** The place after the nth digit of a text, where a caret stays that stood after n digits before. */
function placeAfterDigits(text: string, count: number): number {
  if (count <= 0) return 0
  let seen = 0
  for (const [place, character] of [...text].entries()) {
    if (/\d/.test(character)) seen += 1
    if (seen === count) return place + 1
  }
  return text.length
}

/**
 * Groups what was typed and keeps the caret after the same digit. The deletion of a separator would be undone by
 * grouping and the caret stuck, so then the digit beyond the separator goes, as the person meant.
 */
export function regroup(typed: Typed, before: string, deletion: 'backward' | 'forward' | null, format: Format): Typed {
  let digits = digitsOf(typed.text)
  let caret = digitsBefore(typed.text, typed.caret)
  if (deletion !== null && digits === digitsOf(before) && typed.text.length < before.length) {
    const gone = deletion === 'backward' ? caret - 1 : caret
    if (gone >= 0) digits = digits.slice(0, gone) + digits.slice(gone + 1)
    if (deletion === 'backward') caret = Math.max(0, caret - 1)
  }
  const text = format(digits)
  // At the end stays at the end, also behind a separator or a zero that grouping has added.
  if (typed.caret >= typed.text.length) return { text, caret: text.length }
  return { text, caret: placeAfterDigits(text, Math.min(caret, digitsOf(text).length)) }
}

export type Format = (digits: string) => string
