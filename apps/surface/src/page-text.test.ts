import { CURRENCIES } from '@mintmark/contract/currencies'
import { hostText } from '@mintmark/contract/sentence'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readKept } from './kept.ts'
import { parseLink } from './link.ts'
import { readerLocale } from './locale.ts'
import { lineTotal, moneyText } from './money-text.ts'
import { passkeyFailureOf } from './passkey.ts'

describe('parseLink', () => {
  it('reads the address', () => {
    const link = { merchantId: 'ma_1', sessionId: 'ps_2', launchSecret: 'ls_3' }
    expect(parseLink({ pathname: '/s/ma_1/ps_2', hash: '#ls_3' })).toEqual(link)
    expect(parseLink({ pathname: '/s/ma_1/ps_2/', hash: '#ls_3' })).toEqual(link)
  })

  it.each([
    ['/s/ma_1/ps_2', ''],
    ['/s/ma_1/ps_2', '#'],
    ['/s/ma_1', '#x'],
    ['/s//ps_2', '#x'],
    ['/s/ma_1/ps_2/more', '#x'],
    ['/s/%zz/ps_2', '#x'],
    ['/', '#x'],
  ])('%s%s is incomplete', (pathname, hash) => {
    expect(parseLink({ pathname, hash })).toBeNull()
  })
})

describe('readKept', () => {
  it('reads what was kept', () => {
    const kept = { sessionToken: 't', launchSecret: 's' }
    expect(readKept(kept)).toEqual(kept)
    expect(readKept({ sessionToken: 't', launchSecret: null })).toEqual({ sessionToken: 't', launchSecret: null })
    expect(readKept({ sessionToken: 't', launchSecret: 4, more: 1 })).toEqual({ sessionToken: 't', launchSecret: null })
  })

  it.each([null, undefined, 'x', 1, {}, { sessionToken: 1 }, [], { launchSecret: 's' }])('%j is nothing', (state) => {
    expect(readKept(state)).toBeNull()
  })
})

describe('money', () => {
  it.each([
    ['40.00', 'USD', 'en-US', '$40.00 USD'],
    ['40', 'USD', 'en-US', '$40.00 USD'],
    ['0.01', 'USD', 'en-US', '$0.01 USD'],
    ['1234567.5', 'EUR', 'en-US', '€1,234,567.50'],
    ['1234567.5', 'EUR', 'de-DE', '1.234.567,50 €'],
    ['1234567.5', 'INR', 'en-IN', '₹12,34,567.50'],
    ['40.00', 'USD', 'en-CA', 'US$40.00'],
    ['40.00', 'CAD', 'en-CA', '$40.00 CAD'],
    ['40.00', 'CAD', 'en-US', 'CA$40.00'],
    ['40.00', 'USD', 'de-DE', '40,00 $ USD'],
    ['99.90', 'SEK', 'sv-SE', '99,90 kr SEK'],
    // No minor unit.
    ['4000.00', 'JPY', 'en-US', '¥4,000 JPY'],
    ['4000', 'KRW', 'en-US', '₩4,000'],
    ['4000.50', 'JPY', 'en-US', '¥4,000.5 JPY'],
    // A minor unit of a thousandth.
    ['40.00', 'KWD', 'en-US', 'KWD 40.000'],
    ['1.25', 'OMR', 'en-US', 'OMR 1.250'],
    // Digits of the reader's own.
    ['40.25', 'EGP', 'ar-EG', '٤٠٫٢٥ ج.م.'],
    ['-5.00', 'USD', 'en-US', '\u2212$5.00 USD'],
    // Beyond what floating point can hold.
    ['99999999999999999999.99', 'EUR', 'en-US', '€99,999,999,999,999,999,999.99'],
  ])('%s %s reads in %s as %s', (amount, currency, locale, text) => {
    const shown = moneyText(amount, currency, locale).replaceAll(/[\u00a0\u202f]/g, ' ')
    expect(shown.replaceAll(/[\u200e\u200f\u061c]/g, '')).toBe(text)
  })

  it.each(CURRENCIES)(
    '%s is written with every digit, in many formats, and never by its sign alone if others share it',
    (currency) => {
      for (const locale of ['en-US', 'de-DE', 'fr-CH', 'ar-EG', 'hi-IN', 'ja-JP', 'sv-SE', 'es-MX']) {
        const format = new Intl.NumberFormat(locale, { useGrouping: false })
        const digits = Array.from({ length: 10 }, (_, digit) => format.format(digit))
        const shown = moneyText('1234567890.00', currency, locale)
        expect([...shown].flatMap((sign) => (digits.includes(sign) ? digits.indexOf(sign) : [])).join('')).toMatch(
          /^12345678900*$/,
        )
        expect(shown.replaceAll(/[\s\u200e\u200f\u061c]/g, '')).not.toMatch(
          /^(?:[$¥￥]|kr|Rs)[^A-Z]*$|^[^A-Z]*(?:[$¥￥]|kr|Rs)$/,
        )
      }
    },
  )

  it('is written as the first of the browser’s languages that can be', () => {
    expect(readerLocale(['de-CH', 'en'])).toBe('de-CH')
    expect(readerLocale(['en-US@posix', 'C', 'fr'])).toBe('fr')
    expect(readerLocale([])).toBe('en')
  })

  it('multiplies without floating point', () => {
    expect(lineTotal('0.1', 3)).toBe('0.30')
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 99999999999999n }), fc.integer({ min: 1, max: 999 }), (minor, quantity) => {
        const price = `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`
        expect(BigInt(lineTotal(price, quantity).replace('.', ''))).toBe(minor * BigInt(quantity))
      }),
    )
  })

  it('names the host, and returns text that is no address as it is', () => {
    expect(hostText('https://shop.example/a?b')).toBe('shop.example')
    expect(hostText('shop')).toBe('shop')
  })
})

describe('passkeyFailureOf', () => {
  const named = (name: string) => Object.assign(new Error('x'), { name })

  it.each([
    ['NotAllowedError', true, 20, 'frame'],
    ['NotAllowedError', true, 4_000, 'closed'],
    ['NotAllowedError', false, 20, 'closed'],
    ['SecurityError', true, 20, 'frame'],
    ['SecurityError', false, 20, 'unusable'],
    ['InvalidStateError', false, 900, 'exists'],
    ['AbortError', false, 900, 'closed'],
    ['UnknownError', false, 900, 'unusable'],
  ])('%s, embedded %s, after %i ms: %s', (name, embedded, elapsedMillis, expected) => {
    expect(passkeyFailureOf(named(name), { embedded, elapsedMillis })).toBe(expected)
  })

  it('something thrown that is no error is unusable', () => {
    expect(passkeyFailureOf('x', { embedded: true, elapsedMillis: 1 })).toBe('unusable')
  })
})
