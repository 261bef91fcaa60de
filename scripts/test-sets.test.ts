import { glob, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { ALONE, ALONE_ONCE, ALONE_VERSIONED } from './test-sets.ts'

/**
 * Fed by what other files did in the same worker: a module that is replaced may be loaded, statements of tests count as
 * the service's. Or feeds others: the set comes before all others, and a file that is planted for a moment is read by
 * none of them.
 */
const NEEDS_TO_BE_ALONE =
  /\bvi\.mock\(|\bSTATEMENTS\.(?:values|keys|entries|size)\b|\bfindInStatements\(STATEMENTS\b|\bPLANTED = \[/

test('what other test files of a worker would change is alone, and nothing else', async () => {
  const found: string[] = []
  const files = glob('{apps,packages,examples,scripts}/**/*.test.ts', { exclude: (path) => /node_modules/.test(path) })
  for await (const file of files) {
    if (file === 'scripts/test-sets.test.ts') continue
    if (NEEDS_TO_BE_ALONE.test(await readFile(file, 'utf8'))) found.push(file)
  }
  expect(found.sort()).toEqual([...ALONE].sort())
})

test('what is alone runs on each version if it has a database, and once if not', async () => {
  const hasDatabase = async (file: string) =>
    /\b(?:createTestDatabase|startTestService|openStage|startEmbedded)\b/.test(await readFile(file, 'utf8'))
  expect(await Promise.all(ALONE_ONCE.map(hasDatabase))).not.toContain(true)
  expect(await Promise.all(ALONE_VERSIONED.map(hasDatabase))).not.toContain(false)
})

test('hooks of a test file stand in test files: what is shared is loaded once, and so are its hooks', async () => {
  const found: string[] = []
  const files = glob('{apps,packages,examples,scripts}/**/*.ts', {
    exclude: (path) => /node_modules|\.test\.ts$|after-file(?:-alone)?\.ts$/.test(path),
  })
  for await (const file of files) {
    if (/^(?:before|after)(?:All|Each)\(/m.test(await readFile(file, 'utf8'))) found.push(file)
  }
  expect(found).toEqual([])
})
