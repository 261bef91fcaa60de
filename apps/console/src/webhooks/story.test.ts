// Guarantee: a delivery is told in words however it stands, with why it does not arrive and what to do.
import { ATTEMPT_FAILURES, DELIVERY_STATES, PAUSE_REASONS } from '@mintmark/contract/webhooks'
import { describe, expect, test } from 'vitest'
import { deliveries as de } from '../text/webhooks/deliveries-de.ts'
import { deliveries as en } from '../text/webhooks/deliveries-en.ts'
import { incidents as inGerman } from '../text/webhooks/incidents-de.ts'
import { incidents as inEnglish } from '../text/webhooks/incidents-en.ts'
import { middleAnswer, NEXT_ACTS, reasonOf } from './incident-rules.ts'
import { deliveryStory } from './story.ts'

const AT = '2026-11-28T14:00:00.000Z'
const attempt = (category: (typeof ATTEMPT_FAILURES)[number] | null, finished: string | null = AT) => ({
  ...{ number: 1, started_at: AT, finished_at: finished, category },
  http_status: category === null && finished !== null ? 204 : category === 'status' ? 500 : null,
})
const ATTEMPTS = [null, attempt(null), attempt(null, null), ...ATTEMPT_FAILURES.map((category) => attempt(category))]

describe.each([
  ['en', en],
  ['de', de],
])('in %s', (_, table) => {
  test('each of all standings has words', () => {
    for (const state of DELIVERY_STATES) {
      for (const pause_reason of [null, ...PAUSE_REASONS]) {
        for (const last_attempt of ATTEMPTS) {
          const { what, why, next } = deliveryStory(table, { state, pause_reason, last_attempt })
          expect(what).toMatch(/\.$/)
          for (const sentence of [why, next]) expect(sentence).toMatch(/^$|[.”“]$/)
          expect(`${what} ${why} ${next}`).not.toMatch(/undefined|null/)
        }
      }
    }
  })

  test('the answer of the receiver is said', () => {
    const story = deliveryStory(table, { state: 'failed', pause_reason: null, last_attempt: attempt('status') })
    expect(story).toMatchObject({ tone: 'bad', why: expect.stringContaining('500') })
  })
})

describe('an incident', () => {
  const arrived = { state: 'delivered', last_attempt: attempt(null) } as const
  const refused = { state: 'queued', last_attempt: attempt('status') } as const
  const later = { ...attempt(null), started_at: '2026-11-28T14:05:00.000Z' }

  test('is what the endpoint itself says, else what its newest attempt says', () => {
    expect(reasonOf({ pause_reason: 'gone' }, [arrived])).toBe('gone')
    expect(reasonOf({ pause_reason: null })).toBeUndefined()
    expect(reasonOf({ pause_reason: null }, [refused])).toBe('failing')
    expect(reasonOf({ pause_reason: null }, [refused, { ...arrived, last_attempt: later }])).toBeUndefined()
    expect(reasonOf({ pause_reason: null }, [{ state: 'queued', last_attempt: null }])).toBeUndefined()
  })

  test('has its words in both languages, and lines where they are of use', () => {
    expect(Object.keys(inGerman)).toEqual(Object.keys(inEnglish))
    expect(Object.keys(NEXT_ACTS).toSorted()).toEqual(Object.keys(inEnglish).toSorted())
  })
})

test('the middle of what answers took; what had no answer is not counted', () => {
  const took = (millis: number) => ({
    last_attempt: { ...attempt(null), finished_at: new Date(Date.parse(AT) + millis).toISOString() },
  })
  expect(middleAnswer([])).toBeUndefined()
  expect(middleAnswer([took(5), took(900), took(31), { last_attempt: attempt('timeout') }])).toBe(31)
})
