// Guarantee: a payment is told in words however it stands, in both languages, with what became of the money and what to
// do; what is not known never reads as failed.
import { MONEY_STATES, PAYMENT_ORIGINS } from '@mintmark/contract/console'
import { CHARGE_STATUSES, PAYMENT_FAILURE_CODES } from '@mintmark/contract/states'
import { describe, expect, test } from 'vitest'
import { de } from '../text/story/de.ts'
import { en } from '../text/story/en.ts'
import { storyOf } from './story.ts'

const SUM = '€57.80'
const STANDINGS = CHARGE_STATUSES.flatMap((status) =>
  [null, ...PAYMENT_FAILURE_CODES].flatMap((code) =>
    MONEY_STATES.flatMap((money) => PAYMENT_ORIGINS.map((origin) => ({ status, code, money, origin }))),
  ),
)

describe.each([
  ['en', en],
  ['de', de],
])('in %s', (language, table) => {
  test('each of all standings has three whole sentences and no code', () => {
    expect(STANDINGS).toHaveLength(5 * 19 * 5 * 3)
    for (const standing of STANDINGS) {
      const { what, money, next } = storyOf(table, standing, SUM)
      for (const sentence of [what, money, next]) {
        expect(sentence, JSON.stringify(standing)).toMatch(/^\p{Lu}|^€/u)
        expect(sentence, JSON.stringify(standing)).toMatch(/\.$/)
        expect(sentence, JSON.stringify(standing)).not.toMatch(/[A-Z]_|undefined/)
      }
    }
  })

  test('each code is told in words of its own, and so is each state of the money', () => {
    const told = PAYMENT_FAILURE_CODES.map((code) => table.failed[code].what)
    expect(new Set(told).size).toBe(told.length)
    const moneys = MONEY_STATES.map((money) => table.money[money](SUM))
    expect(new Set(moneys).size).toBe(moneys.length)
    expect(table.money.charged(SUM)).toContain(SUM)
  })

  test('where money may have moved, one is not told to pay again', () => {
    for (const code of PAYMENT_FAILURE_CODES) {
      const standing = { status: 'failed', code, origin: 'described' } as const
      const { next: again } = storyOf(table, { ...standing, money: 'not_charged' }, SUM)
      for (const money of ['held', 'charged', 'not_known'] as const) {
        expect(storyOf(table, { ...standing, money }, SUM).next).not.toBe(again)
      }
    }
  })

  test('what is not known looks like a question, whatever the status', () => {
    for (const standing of STANDINGS.filter(({ money }) => money === 'not_known')) {
      const { tone, money } = storyOf(table, standing, SUM)
      expect(tone).toBe('warn')
      expect(money).toMatch(language === 'en' ? /not known/ : /nicht bekannt/)
    }
  })
})
