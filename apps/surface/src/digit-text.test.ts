import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatNumber } from './card-rules.ts'
import { asciiDigits, digitsBefore, digitsOf, regroup } from './digit-text.ts'

const typed = (marked: string) => ({ text: marked.replace('|', ''), caret: marked.indexOf('|') })
const marked = ({ text, caret }: { text: string; caret: number }) => `${text.slice(0, caret)}|${text.slice(caret)}`

describe('regroup', () => {
  it.each([
    ['', '4|', '4|'],
    ['4242', '42424|', '4242 4|'],
    ['4242 4242', '4242 94|242', '4242 94|24 2'],
    ['4242 4242', '|', '|'],
    ['', '4242-4242-4242-4242|', '4242 4242 4242 4242|'],
    ['', '378282246310005|', '3782 822463 10005|'],
    ['4242 4242 4242 4242', '4242 4242 4242 4242|9999', '4242 4242 4242 4242|999'],
  ])('%j, typed %j, is %j', (before, after, expected) => {
    expect(marked(regroup(typed(after), before, null, formatNumber))).toBe(expected)
  })

  it('a deleted separator takes the digit beyond it', () => {
    expect(marked(regroup(typed('4242|4242'), '4242 4242', 'backward', formatNumber))).toBe('424|4 242')
    expect(marked(regroup(typed('4242|4242'), '4242 4242', 'forward', formatNumber))).toBe('4242| 242')
  })

  it('never loses, adds or reorders digits, and the caret stays behind the same digit', () => {
    const text = fc.string({ unit: fc.constantFrom(...'0123456789 -'), maxLength: 22 })
    fc.assert(
      fc.property(text, fc.nat(22), (raw, place) => {
        const caret = Math.min(place, raw.length)
        const result = regroup({ text: raw, caret }, '', null, formatNumber)
        expect(digitsOf(raw).startsWith(digitsOf(result.text))).toBe(true)
        const kept = digitsOf(result.text).length
        expect(digitsBefore(result.text, result.caret)).toBe(Math.min(digitsBefore(raw, caret), kept))
      }),
    )
  })

  it('is the same when done twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 25 }), (digits) => {
        const once = formatNumber(digits)
        expect(formatNumber(digitsOf(once))).toBe(once)
      }),
    )
  })
})

describe('digits of other scripts', () => {
  it.each([
    ['full-width', '４２４２'],
    ['Arabic', '٤٢٤٢'],
    ['Persian', '۴۲۴۲'],
    ['Devanagari', '४२४२'],
    ['Bengali', '৪২৪২'],
    ['Thai', '๔๒๔๒'],
    ['Burmese', '၄၂၄၂'],
    ['bold', '𝟒𝟐𝟒𝟐'],
    ['monospaced, in a row of five alphabets', '𝟺𝟸𝟺𝟸'],
  ])('%s ones are those of ASCII', (_, text) => {
    expect(digitsOf(text)).toBe('4242')
    expect(asciiDigits(`a ${text}-٫`)).toBe('a 4242-٫')
  })

  it('every one that Unicode has is the number that it stands for', () => {
    const all = Array.from({ length: 0x11_0000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((sign) => /\p{Nd}/u.test(sign))
    expect(all.length).toBeGreaterThan(600)
    // In order of their places, each script from zero to nine.
    expect(all.map(asciiDigits).join('')).toBe('0123456789'.repeat(all.length / 10))
  })

  it('are grouped as others', () => {
    expect(marked(regroup(typed('４２４２４|'), '4242', null, formatNumber))).toBe('4242 4|')
  })
})
