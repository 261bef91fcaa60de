// Guarantee: a process does not take its callers' waits for other systems for a load of its own, whichever of them
// waits.
import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { bounded, waitAway } from './bounds.ts'

test('a wait for the word of others is no time of ours, and no more of it than was asked for', async () => {
  const bounds = { endsAtMillis: Number.POSITIVE_INFINITY, isGone: false, awayMillis: 0 }
  await bounded(bounds, async () => {
    await waitAway(20)
    await waitAway(5)
  })
  expect(bounds.awayMillis).toBe(25)
  await waitAway(1)
  expect(bounds.awayMillis).toBe(25)
})

/** Where waits are of our own making, have a limit of their own, or are not for a caller. */
const OWN_TIMERS = /^(?:commands|db|jobs|keys|network\/simulator|platform)\//

test('features wait in no other way', async () => {
  const source = fileURLToPath(new URL('..', import.meta.url))
  const waiting: string[] = []
  for await (const file of glob('**/*.ts', { cwd: source })) {
    if (OWN_TIMERS.test(file) || /(?:\.test\.ts|(?:^|\/)testing\/.*)$/.test(file)) continue
    if ((await readFile(source + file, 'utf8')).includes('node:timers/promises')) waiting.push(file)
  }
  expect(waiting).toEqual([])
})
