import { glob, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

/** A longer file cannot be understood in one reading. The linter refuses functions over 70 lines. */
const LONGEST_FILE = 400
/** Files that may be longer, each with its reason. This list may only shrink. */
const EXCEPTIONS: Readonly<Record<string, string>> = {}

test('no source file is too long for one reading', async () => {
  const tooLong: string[] = []
  const files = glob('{apps,packages,examples,bench,scripts}/**/*.{ts,tsx,sql,css,cjs}', {
    exclude: (path) => /node_modules|\/dist(?:\/|$)|schema\.sql$/.test(path),
  })
  for await (const file of files) {
    const text = await readFile(file, 'utf8')
    const lines = text.split('\n').length - 1
    // What is made from something else is read there.
    if (text.startsWith('// Generated from ')) continue
    if (lines > LONGEST_FILE && !(file in EXCEPTIONS)) tooLong.push(`${file}: ${lines} lines`)
  }
  expect(tooLong).toEqual([])
})
