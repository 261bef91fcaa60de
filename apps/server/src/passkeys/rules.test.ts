import { describe, expect, it } from 'vitest'
import { counterWentBack, frameRefusal, userHandle, userHandleRefusal } from './rules.ts'

// Guarantee: a ceremony runs on our page only, and in a frame only of an origin the merchant registered.

const SURFACE = 'https://pay.example'
const SHOP = 'https://shop.example'

describe('where a ceremony may run', () => {
  type Case = [
    embedded: boolean,
    crossOrigin: boolean,
    topOrigin: string | undefined,
    outcome: 'ok' | 'failed' | 'frame',
  ]
  const table: Case[] = [
    [false, false, undefined, 'ok'],
    [true, true, SHOP, 'ok'],
    [true, true, 'http://localhost', 'ok'],
    [true, true, 'http://localhost:8080', 'ok'],
    // A frame that is not named: Safari, and browsers that know no topOrigin.
    [true, true, undefined, 'frame'],
    [true, false, undefined, 'frame'],
    // A frame the page did not tell of.
    [false, true, undefined, 'frame'],
    [false, true, SHOP, 'frame'],
    [true, true, 'https://evil.example', 'frame'],
    [true, true, 'https://shop.example.evil.example', 'frame'],
    [true, true, 'https://shop.example:444', 'frame'],
    [true, true, 'http://shop.example', 'frame'],
    [true, true, 'http://localhost.evil.example', 'frame'],
    [true, true, 'http://localhost:80@evil.example', 'frame'],
    [true, true, 'http://localhost:', 'frame'],
    [true, true, 'https://localhost:8080', 'frame'],
    [true, true, 'http://localhost:*', 'frame'],
    [true, true, SURFACE, 'frame'],
    [true, true, 'null', 'frame'],
    [true, true, '', 'frame'],
    // Browsers never send this.
    [false, false, SHOP, 'failed'],
    [true, false, SHOP, 'failed'],
    [false, false, '', 'failed'],
  ]
  it.each(table)('embedded %s, crossOrigin %s, topOrigin %s: %s', (embedded, crossOrigin, topOrigin, outcome) => {
    const rule = { surfaceOrigin: SURFACE, embedded, allowedOrigins: [SHOP, 'http://localhost:*'] }
    const refusal = frameRefusal({ challenge: '', origin: SURFACE, crossOrigin, topOrigin }, rule)
    expect(refusal?.kind ?? 'ok').toBe(outcome)
  })

  it.each([
    'https://evil.example',
    'https://pay.example.evil.example',
    'https://pay.example:444',
    'http://pay.example',
    '',
  ])('never on the origin %s', (origin) => {
    const rule = { surfaceOrigin: SURFACE, embedded: false, allowedOrigins: [origin] }
    expect(frameRefusal({ challenge: '', origin, crossOrigin: false, topOrigin: undefined }, rule)?.kind).toBe('failed')
  })
})

describe('the user handle', () => {
  const owner = { merchantId: 'ma_1', customerId: 'cus_1' }

  it('is 32 bytes that differ by merchant and by customer', () => {
    const handles = [owner, { ...owner, merchantId: 'ma_2' }, { ...owner, customerId: 'cus_2' }].map(userHandle)
    expect(new Set(handles.map((handle) => handle.toString('hex'))).size).toBe(3)
    expect(handles[0]).toHaveLength(32)
  })

  it('may be absent, and must be ours when it is there', () => {
    expect(userHandleRefusal(owner, undefined)).toBeNull()
    expect(userHandleRefusal(owner, userHandle(owner).toString('base64url'))).toBeNull()
    expect(userHandleRefusal(owner, userHandle({ ...owner, customerId: 'cus_2' }).toString('base64url'))).not.toBeNull()
    expect(userHandleRefusal(owner, '')).not.toBeNull()
  })
})

describe('the signature counter', () => {
  const table: [stored: number, shown: number, wentBack: boolean][] = [
    [0, 0, false],
    [0, 1, false],
    [5, 6, false],
    [5, 4_294_967_295, false],
    [5, 5, true],
    [5, 4, true],
    [5, 0, true],
    [1, 0, true],
  ]
  it.each(table)('stored %i, shown %i: a copy may exist: %s', (stored, shown, wentBack) => {
    expect(counterWentBack(stored, shown)).toBe(wentBack)
  })
})
