import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLink } from './link.ts'
import { hostText, lineTotal, moneyText } from './money-text.ts'
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

describe('money', () => {
  it.each([
    ['40.00', 'USD', '40.00 USD'],
    ['40', 'USD', '40.00 USD'],
    ['1234567.5', 'EUR', '1,234,567.50 EUR'],
    ['4000.00', 'JPY', '4,000 JPY'],
    ['0.01', 'USD', '0.01 USD'],
  ])('%s %s reads %s', (amount, currency, text) => {
    expect(moneyText(amount, currency).replace('\u00a0', ' ')).toBe(text)
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
    ['NotAllowedError', true, 4_000, 'cancelled'],
    ['NotAllowedError', false, 20, 'cancelled'],
    ['SecurityError', true, 20, 'frame'],
    ['SecurityError', false, 20, 'unusable'],
    ['InvalidStateError', false, 900, 'exists'],
    ['AbortError', false, 900, 'cancelled'],
    ['UnknownError', false, 900, 'unusable'],
  ])('%s, embedded %s, after %i ms: %s', (name, embedded, elapsedMillis, expected) => {
    expect(passkeyFailureOf(named(name), { embedded, elapsedMillis })).toBe(expected)
  })

  it('something thrown that is no error is unusable', () => {
    expect(passkeyFailureOf('x', { embedded: true, elapsedMillis: 1 })).toBe('unusable')
  })
})
