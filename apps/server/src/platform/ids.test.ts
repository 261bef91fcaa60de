import { randomBytes, randomFillSync } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import {
  ID_PREFIXES,
  type IdKind,
  idFrom,
  idTime,
  isOrderedId,
  lastId,
  newId,
  newMerchantId,
  newOrderedId,
  newUuid,
  type OrderedKind,
  randomText,
  uuidFrom,
} from './ids.ts'

vi.mock(import('node:crypto'), { spy: true })

const KINDS = (Object.keys(ID_PREFIXES) as IdKind[]).filter((kind) => kind !== 'merchant')
const ORDERED: readonly IdKind[] = ['mandate', 'event', 'delivery', 'recovery', 'quote', 'mail']
const ordered = (kind: IdKind): kind is OrderedKind => ORDERED.includes(kind)

function made(kind: Exclude<IdKind, 'merchant'>): string {
  if (kind === 'contact' || kind === 'owner' || kind === 'passkey') return idFrom(kind, randomBytes(32))
  return ordered(kind) ? newOrderedId(kind, new Date()) : newId(kind)
}

describe('newId', () => {
  test.each(KINDS)('%s: its prefix and 26 URL-safe characters', (kind) => {
    const id = made(kind)
    expect(id).toMatch(new RegExp(`^${ID_PREFIXES[kind]}[0-9a-hjkmnp-tv-z]{26}$`))
  })

  test('no prefix begins another, so the kind of an id is never in doubt', () => {
    const prefixes = Object.values(ID_PREFIXES)
    for (const prefix of prefixes) {
      expect(prefixes.filter((other) => other.startsWith(prefix))).toEqual([prefix])
    }
  })

  test('grows with time, so that what is written together lies together in an index', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const ids = Array.from({ length: 50 }, (_, index) => {
      vi.setSystemTime(1_800_000_000_000 + index * 7)
      return newId('charge')
    })
    vi.useRealTimers()
    expect([...ids].sort()).toEqual(ids)
  })

  test('differs in 80 random bits at the same time', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const ids = Array.from({ length: 2_000 }, () => newId('charge'))
    vi.useRealTimers()
    expect(new Set(ids.map((id) => id.slice(0, -16))).size).toBe(1)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('does not repeat', () => {
    const ids = Array.from({ length: 20_000 }, () => newId('charge'))
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('has every character in every random place', () => {
    const parts = Array.from({ length: 5_000 }, () => newId('charge').slice(-16))
    for (let place = 0; place < 16; place += 1) expect(new Set(parts.map((part) => part[place])).size).toBe(32)
  })

  test('asks the system for random bytes once in a hundred ids', () => {
    const asked = vi.mocked(randomFillSync)
    asked.mockClear()
    for (let count = 0; count < 1_000; count += 1) newId('charge')
    expect(asked).toHaveBeenCalledTimes(10)
  })
})

test('newMerchantId: short, and of 50 random bits', () => {
  const ids = Array.from({ length: 2_000 }, newMerchantId)
  for (const id of ids) expect(id).toMatch(/^ma_[0-9a-hjkmnp-tv-z]{10}$/)
  expect(new Set(ids).size).toBe(ids.length)
})

test('idTime: the millisecond of an ordered id', () => {
  for (const millis of [0, 1, 1_800_000_000_123, Date.parse('9999-12-31T23:59:59.999Z')]) {
    const id = newOrderedId('event', new Date(millis))
    expect(isOrderedId('event', id)).toBe(true)
    expect(idTime('event', id)).toEqual(new Date(millis))
  }
  // No database reads the date of this one.
  expect(isOrderedId('event', newOrderedId('event', new Date(Date.UTC(10_000, 0))))).toBe(false)
})

describe('newOrderedId', () => {
  test('sorts by the millisecond, over all years that a clock shows', () => {
    const times = ['1970-01-01T00:00:00.000Z', '2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.001Z', '9999-12-31Z']
    const ids = times.map((time) => newOrderedId('mandate', new Date(time)))
    expect(ids).toEqual([...ids].sort())
    expect(ids.every((id) => id < lastId('mandate'))).toBe(true)
  })

  test('ids of one millisecond differ in 80 random bits', () => {
    const at = new Date()
    const ids = Array.from({ length: 20_000 }, () => newOrderedId('mandate', at))
    expect(new Set(ids.map((id) => id.slice(0, -16))).size).toBe(1)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('randomText', () => {
  test.each([
    [0, 0],
    [1, 2],
    [5, 8],
    [10, 16],
    [16, 26],
    [20, 32],
    [30, 48],
    [32, 52],
  ])('%i bytes take %i characters', (bytes, characters) => {
    expect(randomText(bytes)).toHaveLength(characters)
  })

  // A bit lost in packing would show as a character that never appears at some place.
  test('every place of a full group takes all 32 characters', () => {
    const seen = Array.from({ length: 16 }, () => new Set<string>())
    for (let round = 0; round < 3000; round += 1) {
      for (const [place, character] of [...randomText(10)].entries()) seen[place]?.add(character)
    }
    expect(seen.map((characters) => characters.size)).toEqual(Array.from({ length: 16 }, () => 32))
  })
})

describe('UUIDs', () => {
  test('version 7 begin with the time, and no two are equal', () => {
    const before = Date.now()
    const ids = Array.from({ length: 1000 }, () => newUuid())
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).toBe(1000)
    const time = Number.parseInt((ids[0] ?? '').replaceAll('-', '').slice(0, 12), 16)
    expect(time).toBeGreaterThanOrEqual(before)
    expect(time).toBeLessThanOrEqual(Date.now())
  })

  test('version 8 are made of bytes, the same of the same', () => {
    const bytes = randomBytes(32)
    expect(uuidFrom(bytes)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(uuidFrom(bytes)).toBe(uuidFrom(Buffer.from(bytes)))
    expect(uuidFrom(bytes)).not.toBe(uuidFrom(randomBytes(32)))
  })
})
