import { afterEach, describe, expect, test } from 'vitest'
import { declareError } from '../platform/errors.ts'
import { checkedBy } from './credential.ts'
import { countingLimiter, SECRET_KEY, startToyHost, type ToyHost, toyKey } from './testing/toy-host.ts'

const LIMITS = { failed_authentication: { points: 3, windowSeconds: 5 } }

let host: ToyHost
afterEach(() => host.close())

async function statusWith(authorization: string): Promise<number> {
  const response = await fetch(`${host.baseUrl}/v1/orders?customer_id=c`, { headers: { authorization } })
  await response.arrayBuffer()
  return response.status
}

describe('an address that tries credentials', () => {
  test('is told 429 after the limit, and even a right guess does not get through', async () => {
    host = await startToyHost({ limiter: countingLimiter(LIMITS) })
    const guesses = []
    for (let guess = 0; guess < 5; guess += 1) guesses.push(await statusWith(`Bearer sk_test_guess_${guess}`))
    expect(guesses).toEqual([401, 401, 401, 429, 429])
    expect(await statusWith(`Bearer ${SECRET_KEY}`)).toBe(429)
  })

  test('does not lock out a caller that has just been let in from the same address', async () => {
    host = await startToyHost({ limiter: countingLimiter(LIMITS) })
    expect(await statusWith('Bearer garbage')).toBe(401)
    expect(await statusWith(`Bearer ${SECRET_KEY}`)).toBe(200)
    for (let guess = 0; guess < 5; guess += 1) await statusWith('Bearer garbage')
    expect(await statusWith('Bearer garbage')).toBe(429)
    expect(await statusWith(`Bearer ${SECRET_KEY}`)).toBe(200)
  })

  test('may have as many expired sessions as it likes: those were no guesses', async () => {
    const expired = declareError('AUTH_1003', 'The session has expired.')
    host = await startToyHost({
      limiter: countingLimiter(LIMITS),
      credentials: [checkedBy(toyKey, { check: () => Promise.reject(expired()) })],
    })
    for (let poll = 0; poll < 6; poll += 1) expect(await statusWith('Bearer token')).toBe(401)
  })
})
