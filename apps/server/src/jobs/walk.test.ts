import { expect, test } from 'vitest'
import { walkJob } from './walk.ts'

// Guarantee: a walk over all merchants goes on where it stood, also after a failure, and rests when it has been
// everywhere.

test('a walk goes on where it stood, and begins anew after its end', async () => {
  const after: Record<string, string | undefined> = { '': 'a', a: 'b' }
  const asked: string[] = []
  let fails = false
  const { run } = walkJob('toys.sweep', '', async (from) => {
    asked.push(from)
    if (fails) throw new Error('No database.')
    const next = after[from]
    return next === undefined ? null : { next }
  })
  expect(await run()).toEqual({ taken: 1, nextDueAt: null })
  fails = true
  await expect(run()).rejects.toThrow('No database.')
  fails = false
  expect([(await run()).taken, (await run()).taken]).toEqual([1, 0])
  expect((await run()).taken).toBe(1)
  expect(asked).toEqual(['', 'a', 'a', 'b', ''])
})
