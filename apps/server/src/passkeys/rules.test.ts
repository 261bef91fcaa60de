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
    const rule = { origin: SURFACE, embedded, allowedOrigins: [SHOP, 'http://localhost:*'] }
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
    const rule = { origin: SURFACE, embedded: false, allowedOrigins: [origin] }
    expect(frameRefusal({ challenge: '', origin, crossOrigin: false, topOrigin: undefined }, rule)?.kind).toBe('failed')
  })
})

describe('the user handle', () => {
  const owner = { merchantId: 'ma_1', customerId: 'cus_1' }

  const salt = Buffer.alloc(16, 1)
  const textOf = (whose: typeof owner) => userHandle(whose, salt).toString('base64url')

  it('differs by merchant, by customer and by registration, within the 64 bytes that there are', () => {
    const others = [
      { ...owner, merchantId: 'ma_2' },
      { ...owner, customerId: 'cus_2' },
    ].map((other) => textOf(other))
    const again = userHandle(owner, Buffer.alloc(16, 2))
    expect(new Set([textOf(owner), again.toString('base64url'), ...others]).size).toBe(4)
    expect(again.length).toBeLessThanOrEqual(64)
  })

  it('may be absent, and must be ours when it is there, of whichever registration', () => {
    expect(userHandleRefusal(owner, undefined)).toBeNull()
    expect(userHandleRefusal(owner, textOf(owner))).toBeNull()
    expect(userHandleRefusal(owner, userHandle(owner, Buffer.alloc(16, 2)).toString('base64url'))).toBeNull()
    const salted = `B${textOf(owner).slice(1)}`
    const short = userHandle(owner, Buffer.alloc(15)).toString('base64url')
    for (const foreign of [textOf({ ...owner, customerId: 'cus_2' }), salted, short, textOf(owner).slice(0, -4), '']) {
      expect(userHandleRefusal(owner, foreign), foreign).not.toBeNull()
    }
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
