import { expect, test } from 'vitest'
import { CHARGE_LIMITS } from '../agents.ts'
import { ERROR_CODES, PAYMENT_FAILURE_CODES, SETUP_FAILURE_CODES } from '../index.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { CHARGE_ERRORS, type RefusalWords, refusalWords } from './list.ts'

// Guarantee: every refusal that an owner can see has one plain sentence and the next thing to do, in each language, and
// no code stands in them.

const CODES = [...PAYMENT_FAILURE_CODES, ...SETUP_FAILURE_CODES, ...CHARGE_ERRORS]
const texts = { en, de }

const isSentence = (words: string) => /^[A-ZÄÖÜ0-9].*[.!]$/.test(words) && words.length <= 120
const isGood = ({ why, next }: RefusalWords) =>
  isSentence(why) && isSentence(next) && !/[A-Z]{3}_|[a-z]_[a-z]|undefined|[!?]./.test(why + next)

test.each(Object.entries(texts))('%s: every errorCode and every limit', (_, text) => {
  const without = [
    ...CODES.filter((code) => !(code in text.causes) || !isGood(refusalWords(text, code, null))),
    ...CHARGE_LIMITS.filter((limit) => !(limit in text.limits) || !isGood(text.limits[limit])),
  ]
  expect(without).toEqual([])
  expect(Object.keys(text.causes).filter((code) => !CODES.some((known) => known === code))).toEqual([])
})

test('the errors are errors of the wire, and the owner’s own answer says more than the limit that led to it', () => {
  expect(CHARGE_ERRORS.filter((code) => !(code in ERROR_CODES))).toEqual([])
  expect(refusalWords(en, 'OWNER_DENIED', 'charge')).toBe(en.causes.OWNER_DENIED)
  expect(refusalWords(en, 'AGENT_LIMIT_EXCEEDED', 'charge')).toBe(en.limits.charge)
  expect(refusalWords(en, 'SOMETHING_NEW', null)).toBe(en.causes.PAYMENT_FAILED)
})
