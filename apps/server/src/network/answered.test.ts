// Guarantee: each answer of a network is noted once, by how it ended, and reaches its caller as it was given.
import { expect, test } from 'vitest'
import { notingAnswers } from './answered.ts'

test('answers are noted, and nothing else is', async () => {
  const noted: string[] = []
  const unknown = { outcome: 'unknown', cause: 'timeout' }
  const network = {
    capabilities: { outcome: 'ok' },
    mint: async (asked: { id: string }) => ({ outcome: 'ok', value: asked.id }),
    release: async () => unknown,
    confirm: async () => ({ outcome: 'declined', reason: 'NOT_FOUND' }),
    other: () => 7,
    broken: () => Promise.reject(new Error('broken')),
  }
  const watched = notingAnswers(network, (outcome) => noted.push(outcome))
  expect(await watched.mint({ id: 'a' })).toEqual({ outcome: 'ok', value: 'a' })
  expect(await watched.release()).toBe(unknown)
  expect(await watched.confirm()).toMatchObject({ reason: 'NOT_FOUND' })
  expect(watched.other()).toBe(7)
  await expect(watched.broken()).rejects.toThrow('broken')
  expect(watched.capabilities).toBe(network.capabilities)
  expect(noted).toEqual(['ok', 'unknown', 'declined'])
})
