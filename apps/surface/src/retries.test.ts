import { describe, expect, it } from 'vitest'
import { Refusal, Unreachable } from './errors.ts'
import { type Obstacle, withRetries } from './retries.ts'

// Guarantee: a call whose answer was lost is never sent again before asking whether it took effect.

const refusal = (code: string, status: number, retryAfterSeconds: number | null = null) =>
  new Refusal({ code, status, message: '', details: {}, reference: 'res_1', retryAfterSeconds })

/** Returns each step in turn; an Error is thrown. */
function script(...steps: (string | Error | null)[]) {
  const left = [...steps]
  return async () => {
    const step = left.shift()
    if (step instanceof Error) throw step
    return step ?? null
  }
}

describe('withRetries', () => {
  it('asks whether a lost call took effect, and is content when it did', async () => {
    const obstacles: Obstacle[] = []
    let sent = 0
    const answer = await withRetries<string | null>({
      work: async () => {
        sent += 1
        throw new Unreachable('lost')
      },
      settled: script('moved on'),
      waitFor: async (obstacle) => void obstacles.push(obstacle),
    })
    expect({ answer, sent }).toEqual({ answer: 'moved on', sent: 1 })
    expect(obstacles).toEqual([{ kind: 'offline', attempt: 0 }])
  })

  it('sends again when it did not, also when the question itself was lost', async () => {
    const answer = await withRetries<string | null>({
      work: script(refusal('SERVICE_UNAVAILABLE', 503), 'done'),
      settled: script(new Unreachable('lost'), null),
      waitFor: async () => {},
    })
    expect(answer).toBe('done')
  })

  it('waits as long as asked, and a call that was not let in needs no question', async () => {
    const obstacles: Obstacle[] = []
    const answer = await withRetries<string | null>({
      work: script(refusal('RATE_LIMITED', 429, 7), 'done'),
      settled: async () => {
        throw new Error('must not be asked')
      },
      waitFor: async (obstacle) => void obstacles.push(obstacle),
    })
    expect(answer).toBe('done')
    expect(obstacles).toEqual([{ kind: 'wait', seconds: 7 }])
  })

  it('passes on what trying again cannot change', async () => {
    const refused = refusal('CARD_REFUSED', 400)
    const attempt = withRetries({ work: script(refused), waitFor: async () => {} })
    await expect(attempt).rejects.toBe(refused)
  })

  it('ends when the page has gone on', async () => {
    const attempt = withRetries({
      work: script(new Unreachable('lost')),
      waitFor: async () => {
        throw new Error('superseded')
      },
    })
    await expect(attempt).rejects.toThrow('superseded')
  })
})
