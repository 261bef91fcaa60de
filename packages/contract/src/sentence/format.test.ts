// Guarantee: what a reader reads is written for them, however many others read before and in between.
import { expect, test } from 'vitest'
import { dayText, moneyText, timeText } from './format.ts'

const MOMENT = new Date('2028-11-23T22:30:00Z')
const ZONES = Intl.supportedValuesOf('timeZone')
const LOCALES = ['en-US', 'en-GB', 'de-AT', 'fr-CA', 'ja', 'ar-EG']

test('readers of more zones and currencies than are kept, in turn and twice', () => {
  expect(ZONES.length).toBeGreaterThan(300)
  for (const round of [1, 2]) {
    for (const [place, timeZone] of ZONES.entries()) {
      const locale = LOCALES[place % LOCALES.length] as string
      const fresh = (options: Intl.DateTimeFormatOptions) =>
        new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(MOMENT).replaceAll('\u202f', '\u00a0')
      const reader = { locale, timeZone }
      expect([round, timeText(MOMENT, reader)]).toEqual([round, fresh({ hour: 'numeric', minute: '2-digit' })])
      expect(dayText(MOMENT, reader)).toBe(fresh({ dateStyle: 'long', calendar: 'gregory' }))
    }
  }
})

test('two readers beside each other: of another country, another currency, another number of decimals, and no zone', () => {
  for (let turn = 0; turn < 3; turn += 1) {
    expect(moneyText('57.8', 'USD', { locale: 'en-US' })).toBe('$57.80')
    expect(moneyText('57.8', 'USD', { locale: 'en-AU' })).not.toBe('$57.80')
    expect(moneyText('57.805', 'USD', { locale: 'en-US' })).toBe('$57.805')
    expect(moneyText('57', 'JPY', { locale: 'en-US' })).toBe('¥57')
    expect(timeText(MOMENT, { locale: 'en-GB', timeZone: null })).toBe('22:30 UTC')
    expect(timeText(MOMENT, { locale: 'en-GB', timeZone: 'UTC' })).toBe('22:30')
  }
})
