import { glob, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

// Guarantee: what a file shows is of use to another one. The compiler finds unused names in their own file only.

/** A value is shown by its name. */
const VALUES = /^export (?:async )?(?:const|let|function\*?|abstract class|class) (\w+)/gm
/** A type may be shown because a function that is shown names it; one that no code names at all is of no use. */
const TYPES = /^export (?:interface|type) (\w+)/gm
const WORDS = /[A-Za-z_$][\w$]*/g

const SOURCES = '{apps,packages,examples,scripts,bench}/**/*.{ts,tsx}'
const BUILT = /node_modules|\/dist(?:\/|$)/

test('no file exports what no other file uses', async () => {
  const files = await sources()
  const users = usersOf(files)
  const unused: string[] = []
  for (const [path, text] of files) {
    for (const [, name = ''] of text.matchAll(VALUES)) {
      if (users(name).size < 2) unused.push(`${path}: ${name}`)
    }
    for (const [, name = ''] of text.matchAll(TYPES)) {
      const isNamed = users(name).size > 1 || (text.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1
      if (!isNamed) unused.push(`${path}: ${name}`)
    }
  }
  expect(files.size).toBeGreaterThan(1_000)
  expect(unused).toEqual([])
})

/** All source files with their text, without the comments: to be talked of is no use. */
async function sources(): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for await (const path of glob(SOURCES, { exclude: (path) => BUILT.test(path) })) {
    files.set(path, withoutComments(await readFile(path, 'utf8')))
  }
  files.set('vitest.config.ts', await readFile('vitest.config.ts', 'utf8'))
  return files
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

/** In which files a name stands. */
function usersOf(files: ReadonlyMap<string, string>): (name: string) => ReadonlySet<string> {
  const users = new Map<string, Set<string>>()
  for (const [path, text] of files) {
    for (const [word] of text.matchAll(WORDS)) {
      const known = users.get(word)
      if (known === undefined) users.set(word, new Set([path]))
      else known.add(path)
    }
  }
  return (name) => users.get(name) ?? new Set()
}
