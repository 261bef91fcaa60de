// Guarantee: every state of the cardholder's page has its picture, no picture is of a state that is gone, and all of
// them are small.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SHOTS } from '../apps/surface/dev/shots.ts'

const STATES = join(import.meta.dirname, '../docs/pictures/states')
const MAX_BYTES = 8_000_000

test('every state has its picture, and no other has one', async () => {
  const pictures = (await readdir(STATES)).filter((file) => file.endsWith('.webp'))
  expect(pictures.sort()).toEqual(SHOTS.map(({ name }) => `${name}.webp`).sort())
})

test('all of them together stay small', async () => {
  const files = await readdir(STATES)
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(STATES, file))).size))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES)
})
