import { expect, test } from 'vitest'
import { RecentAnswers } from './recent-answers.ts'

function create(maxEntries = 100) {
  let now = 0
  const asked: string[] = []
  const answers = new RecentAnswers<string>({ maxAgeMillis: 500, maxEntries, monotonicMillis: () => now })
  return {
    answers,
    asked,
    advance: (millis: number) => {
      now += millis
    },
    ask: (question: string) =>
      answers.ask(question, async () => {
        asked.push(question)
        return `${question} at ${now}`
      }),
  }
}

test('a thousand callers together put one question', async () => {
  const { ask, asked } = create()
  await Promise.all(Array.from({ length: 1000 }, () => ask('a')))
  expect(asked).toEqual(['a'])
})

test('an answer is kept until its question is too old', async () => {
  const { ask, advance } = create()
  expect(await ask('a')).toBe('a at 0')
  advance(499)
  expect(await ask('a')).toBe('a at 0')
  advance(1)
  expect(await ask('a')).toBe('a at 500')
})

// A slow database must not stretch the time a revoked key works.
test('no caller joins a question that was put too long ago, answered or not', async () => {
  const { answers, advance } = create()
  const slow = Promise.withResolvers<string>()
  const first = answers.ask('a', () => slow.promise)
  advance(500)
  const second = answers.ask('a', async () => 'revoked')
  slow.resolve('valid')
  expect(await first).toBe('valid')
  expect(await second).toBe('revoked')
  expect(await answers.ask('a', async () => 'never asked')).toBe('revoked')
})

test('a failure is told to all who wait and then forgotten', async () => {
  const { answers } = create()
  const fail = () => Promise.reject(new Error('database down'))
  const results = await Promise.allSettled([answers.ask('a', fail), answers.ask('a', fail)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await answers.ask('a', async () => 'up')).toBe('up')
})

test('a late failure does not forget the answer that replaced it', async () => {
  const { answers, advance } = create()
  const slow = Promise.withResolvers<string>()
  const first = answers.ask('a', () => slow.promise)
  advance(500)
  await answers.ask('a', async () => 'fresh')
  slow.reject(new Error('timed out'))
  await expect(first).rejects.toThrow('timed out')
  expect(await answers.ask('a', async () => 'asked again')).toBe('fresh')
})

test('the number of answers is bounded, and the oldest goes first', async () => {
  const { answers, ask, asked } = create(3)
  for (const question of ['a', 'b', 'c', 'd']) await ask(question)
  expect(answers.size).toBe(3)
  await ask('b')
  await ask('a')
  expect(asked).toEqual(['a', 'b', 'c', 'd', 'a'])
})

test('a renewed answer is a young one', async () => {
  const { ask, asked, advance } = create(3)
  for (const question of ['a', 'b', 'c']) await ask(question)
  advance(500)
  await ask('a')
  await ask('d')
  asked.length = 0
  await ask('a')
  expect(asked).toEqual([])
})

test('forgetAll makes the next caller ask', async () => {
  const { answers, ask, asked } = create()
  await ask('a')
  answers.forgetAll()
  await ask('a')
  expect(asked).toEqual(['a', 'a'])
})
