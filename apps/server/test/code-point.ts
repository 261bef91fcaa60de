import fc from 'fast-check'

const SURROGATES = 0x800
const FIRST_SURROGATE = 0xd800

/**
 * Any character that text can have, for `fc.string({ unit: codePoint })`. The library's own `binary` is the same, and
 * takes a process nine seconds before its first text: it writes down every character there is.
 */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((at) => String.fromCodePoint(at < FIRST_SURROGATE ? at : at + SURROGATES), placeOf)

/** The way back, by which the library brings in names like `__proto__`. */
function placeOf(text: unknown): number {
  const point = typeof text === 'string' && text.isWellFormed() ? text.codePointAt(0) : undefined
  if (point === undefined || String.fromCodePoint(point) !== text) throw new Error('Not one character.')
  return point < FIRST_SURROGATE ? point : point - SURROGATES
}
