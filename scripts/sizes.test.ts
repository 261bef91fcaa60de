import { glob, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { STATEMENT_LIMITS } from '../apps/server/src/db/testing/wide-statements.ts'
import biome from '../biome.json' with { type: 'json' }
import { MAX_LINE_LENGTH } from './check-docs.ts'

/** A longer file cannot be understood in one reading. The linter refuses functions over 70 lines. */
const MAX_FILE_LINES = 400
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
    if (lines > MAX_FILE_LINES && !(file in EXCEPTIONS)) tooLong.push(`${file}: ${lines} lines`)
  }
  expect(tooLong).toEqual([])
})

test('CONTRIBUTING says the sizes that are held, and no others', async () => {
  const [, said = ''] = /^- \*\*Sizes\.\*\* ([\s\S]*?)^- /m.exec(await readFile('CONTRIBUTING.md', 'utf8')) ?? []
  const figures = [...said.matchAll(/(?<!\S)\d[\d,]*(?=[\s,])/g)].map(([figure]) => Number(figure.replaceAll(',', '')))
  const { linter, formatter } = biome
  const { hot, any } = STATEMENT_LIMITS
  expect(figures).toEqual([
    ...[MAX_FILE_LINES, linter.rules.complexity.noExcessiveLinesPerFunction.options.maxLines],
    ...[any.characters, any.parameters, hot.characters, hot.parameters, hot.parts],
    ...[formatter.lineWidth, MAX_LINE_LENGTH],
  ])
})
