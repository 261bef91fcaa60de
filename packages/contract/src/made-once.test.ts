// Guarantee: what is dear to make is made once of the same texts, and however many texts there are, no more of it is kept than fits.
import { expect, test, vi } from 'vitest'
import { madeOnce } from './made-once.ts'

test('makes one of the same texts, and others of others', () => {
  const make = vi.fn((locale: string, zone: string | null) => ({ locale, zone }))
  const made = madeOnce(make)
  expect(made('en', null)).toBe(made('en', null))
  expect(made('en', 'UTC')).not.toBe(made('en', null))
  expect(made('de', 'UTC')).toEqual({ locale: 'de', zone: 'UTC' })
  expect(make).toHaveBeenCalledTimes(3)
})

test('remembers nothing, and zero, as it remembers anything', () => {
  const make = vi.fn((text: string) => (text === 'zero' ? 0 : ''))
  const made = madeOnce(make)
  expect([made('zero'), made('zero'), made('nothing'), made('nothing')]).toEqual([0, 0, '', ''])
  expect(make).toHaveBeenCalledTimes(2)
})

test('forgets the first where there are too many, and makes it again', () => {
  const make = vi.fn((text: string) => ({ text }))
  const made = madeOnce(make)
  const first = made('0')
  for (let count = 0; count < 64; count += 1) made(String(count))
  expect(made('0')).toBe(first)
  made('64')
  expect(made('63')).toBe(made('63'))
  expect(make).toHaveBeenCalledTimes(65)
  expect(made('0')).not.toBe(first)
})

test('what throws is tried again', () => {
  const make = vi.fn((zone: string) => new Intl.DateTimeFormat('en', { timeZone: zone }))
  const made = madeOnce(make)
  for (let tries = 0; tries < 2; tries += 1) expect(() => made('Mars/Olympus')).toThrow(RangeError)
  expect(make).toHaveBeenCalledTimes(2)
})
