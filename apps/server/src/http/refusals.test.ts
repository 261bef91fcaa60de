import { expect, test, vi } from 'vitest'
import { cardRefused } from '../cards/errors.ts'
import { bounded } from '../platform/bounds.ts'
import { rateLimited } from './errors.ts'
import { type AnyLimit, byAddress, limit } from './limit.ts'
import type { Counted, RateLimiter } from './rate-limit.ts'
import { countingRefusals } from './refusals.ts'

// Guarantee: refused tries are counted by every key, and who has used one up learns nothing more by any of them.

const declared = (name: string): AnyLimit =>
  limit(name, { points: 1, windowSeconds: 60, by: byAddress, withoutStore: 'refuse', meaning: '', countedBy: '' })
const [full, free] = [declared('full'), declared('free')]
const keys: readonly Counted[] = [
  [full, 'a'],
  [free, 'b'],
]

/** A look that no pause of a busy machine makes an old one. */
const FRESH = Number.POSITIVE_INFINITY

/** Counts what is asked of it; `full` has no point left, which its own look shows from the second on. */
function limiterOf() {
  const counted: string[] = []
  let looks = 0
  const limiter: RateLimiter = {
    quotaOf: () => full,
    giveBack: () => undefined,
    async fullest() {
      looks += 1
      return { share: looks > 1 ? 1 : 0, resetSeconds: 9, seenAt: performance.now() }
    },
    async consume(of) {
      counted.push(of.name)
      if (of === full) throw rateLimited({ retryAfterSeconds: 9 })
      return null
    },
  }
  return { limiter, counted }
}

const refusing = async () => {
  throw cardRefused()
}

test('a try beyond one limit counts for the others as well, and its answer is withheld', async () => {
  const { limiter, counted } = limiterOf()
  const refused = countingRefusals(limiter, { errors: [cardRefused], keys }, null, refusing)
  await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  expect(counted).toEqual(['full', 'free'])
})

test('a look that is old is not believed', async () => {
  const { limiter } = limiterOf()
  await limiter.fullest(keys)
  const [fresh, old] = [FRESH, performance.now() - 10_000].map((seenAt) => {
    const seen = { share: 0, resetSeconds: 0, seenAt }
    return countingRefusals(limiter, { errors: [cardRefused], keys }, seen, async () => 'accepted')
  })
  await expect(fresh).resolves.toBe('accepted')
  await expect(old).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 9 })
})

test('who waited because much is used is looked at again after the wait', async () => {
  const { limiter } = limiterOf()
  await limiter.fullest(keys)
  const seen = { share: 0.51, resetSeconds: 0, seenAt: FRESH }
  const waited = countingRefusals(limiter, { errors: [cardRefused], keys }, seen, async () => 'accepted')
  await expect(waited).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})

test('up to half of a limit nobody waits, and nothing is looked at twice', async () => {
  const { limiter, counted } = limiterOf()
  const fullest = vi.spyOn(limiter, 'fullest')
  const bounds = { endsAtMillis: Number.POSITIVE_INFINITY, isGone: false, awayMillis: 0 }
  const seen = { share: 0.5, resetSeconds: 0, seenAt: FRESH }
  const tried = bounded(bounds, () =>
    countingRefusals(limiter, { errors: [cardRefused], keys }, seen, async () => 'accepted'),
  )
  await expect(tried).resolves.toBe('accepted')
  expect([bounds.awayMillis, fullest.mock.calls, counted]).toEqual([0, [], []])
})

test('to be slowed down is no load of ours', async () => {
  const { limiter } = limiterOf()
  const bounds = { endsAtMillis: Number.POSITIVE_INFINITY, isGone: false, awayMillis: 0 }
  const seen = { share: 0.51, resetSeconds: 0, seenAt: FRESH }
  const waited = bounded(bounds, () =>
    countingRefusals(limiter, { errors: [cardRefused], keys }, seen, async () => 'accepted'),
  )
  await expect(waited).resolves.toBe('accepted')
  expect(bounds.awayMillis).toBeCloseTo(60)
})

test('of many that are to be slowed down few wait, and hold a place: the others are told to come again', async () => {
  const { limiter } = limiterOf()
  const seen = () => ({ share: 0.51, resetSeconds: 0, seenAt: FRESH })
  const slow = { ...limiter, fullest: async () => seen() }
  const tries = async (count: number) =>
    Promise.allSettled(
      Array.from({ length: count }, () =>
        countingRefusals(slow, { errors: [cardRefused], keys }, seen(), async () => 'accepted'),
      ),
    )
  const outcomes = await tries(20)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(8)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      expect(outcome.reason).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 })
  }
  // A try that has waited leaves its place to others.
  expect((await tries(8)).every(({ status }) => status === 'fulfilled')).toBe(true)
})
