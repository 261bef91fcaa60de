// Guarantee: what is signed is a challenge that the service still takes when the dialog ends.
import type { ApprovalOptions, SurfaceView } from '@mintmark/contract/wire/surface'
import { describe, expect, it } from 'vitest'
import { challengeOf, hasSameTerms, isOutdated } from './challenge.ts'

const MINUTE = 60_000

function asked(timeout: number | undefined, terms: object = { amount: '40.00' }) {
  let time = 0
  const options = { challenge: 'x', ...(timeout !== undefined && { timeout }) }
  const challenge = challengeOf({ terms, options } as unknown as ApprovalOptions, 0, () => time)
  const at = (millis: number) => {
    time = millis
    return { isOld: challenge.isOld(), isOver: challenge.isOver(), timeout: challenge.request().timeout }
  }
  return { challenge, at }
}

describe('a challenge', () => {
  it('is renewed long before the service refuses it, and its dialog has the time that is left', () => {
    const { at } = asked(5 * MINUTE)
    expect(at(0)).toEqual({ isOld: false, isOver: false, timeout: 5 * MINUTE })
    expect(at(MINUTE)).toEqual({ isOld: false, isOver: false, timeout: 4 * MINUTE })
    expect(at(1.5 * MINUTE)).toEqual({ isOld: true, isOver: false, timeout: 3.5 * MINUTE })
    expect(at(5 * MINUTE)).toEqual({ isOld: true, isOver: true, timeout: 0 })
    expect(at(60 * MINUTE)).toEqual({ isOld: true, isOver: true, timeout: 0 })
  })

  it('without a bound is good for ever', () => {
    expect(asked(undefined).at(60 * MINUTE)).toEqual({ isOld: false, isOver: false, timeout: undefined })
  })

  it('takes the place of another one of equal terms only', () => {
    const { challenge } = asked(MINUTE)
    expect(hasSameTerms(challenge, asked(MINUTE).challenge)).toBe(true)
    expect(hasSameTerms(challenge, asked(MINUTE, { amount: '41.00' }).challenge)).toBe(false)
  })

  it('is outdated once more time was given, and takes the place of it all the same', () => {
    const [former, later] = ['2026-12-01T10:00:00.000Z', '2026-12-01T10:10:00.000Z'].map((approve_by) => ({
      ...asked(MINUTE, { amount: '40.00', approve_by }).challenge,
      view: { expires_at: approve_by } as SurfaceView,
    }))
    if (former === undefined || later === undefined) throw new Error('There are two.')
    expect(hasSameTerms(former, later)).toBe(true)
    expect(isOutdated(former, later.view)).toBe(true)
    // Another tab was given it, and this page has not heard it yet.
    for (const view of [former.view, later.view]) expect(isOutdated(later, view)).toBe(false)
  })
})
