import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Declaration, single } from './command.ts'
import { SILENT } from './silent.ts'

// Guarantee: a change that captures no event names its reason from a closed list, in which nothing is left over, and the reason of tests is
// named by nothing but tests.

const SRC = join(import.meta.dirname, '..')
const IS_OF_TESTS = /\.test\.ts$|(?:^|\/)testing\//

/** The files of the program, with their text. */
async function program(): Promise<[path: string, text: string][]> {
  const files: [string, string][] = []
  for await (const path of glob('**/*.ts', { cwd: SRC })) {
    if (!IS_OF_TESTS.test(path)) files.push([path, await readFile(join(SRC, path), 'utf8')])
  }
  expect(files.length).toBeGreaterThan(500)
  return files
}

test('the program names each reason but that of tests', async () => {
  const files = await program()
  const named = files.flatMap(([, text]) => [...text.matchAll(/\bsilent: '(\w+)'/g)].map(([, reason = '']) => reason))
  const { test_only: _, ...reasons } = SILENT
  expect([...new Set(named)].sort()).toEqual(Object.keys(reasons).sort())
  // In whatever way it would be handed on: the program has no such word.
  expect(files.filter(([, text]) => text.includes(`'test_only'`)).map(([path]) => path)).toEqual([])
})

test('words that are not in the list do not compile', () => {
  const declared = (declaration: Declaration) => declaration
  const declaredSingle = (declaration: Parameters<typeof single>[1]) => declaration
  // @ts-expect-error It is no reason of the list.
  declared({ name: 'toys.paint', silent: 'Toys have no feed.' })
  // @ts-expect-error Nor is it one for a change of one statement.
  declaredSingle({ name: 'toys.paint', silent: 'Toys have no feed.' })
  // @ts-expect-error There is no change without events or a reason.
  declared({ name: 'toys.paint' })
})
