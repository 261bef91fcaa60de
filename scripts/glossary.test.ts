import { glob, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

// Guarantee: a word that the glossary took out of use does not come back.

/** How many identifiers still have it. A number here only falls: it is lowered in the change that removes some. */
const LEFT: Record<string, number> = { MOST_: 0, enrolment: 0, settle: 0, admit: 0, look: 0, begin: 0 }

const NAMES = /\b(?:function\*?|const|let|class|interface|type) ([A-Za-z_]\w*)/g
const SOURCES = '{apps,packages}/*/src/**/*.{ts,tsx}'

test('the glossary’s last table and the names that are declared', async () => {
  const found: Record<string, number> = Object.fromEntries((await refused()).map((word) => [word, 0]))
  for await (const path of glob(SOURCES)) {
    for (const [, name = ''] of (await readFile(path, 'utf8')).matchAll(NAMES)) {
      for (const word of Object.keys(found)) if (hasWord(name, word)) found[word] = (found[word] ?? 0) + 1
    }
  }
  expect(Object.keys(found)).toEqual(Object.keys(LEFT))
  const more = Object.entries(found).filter(([word, count]) => count > (LEFT[word] ?? 0))
  expect(more, 'the glossary has another word for it').toEqual([])
})

/** The words of the table, in its order. */
async function refused(): Promise<string[]> {
  const [, table = ''] = (await readFile('docs/glossary.md', 'utf8')).split('## Not')
  return [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, word = '']) => word)
}

/** As one word of a name: `lookAt` has `look`, `lookup` has not. */
function hasWord(name: string, word: string): boolean {
  if (word.endsWith('_')) return name.startsWith(word)
  return name.split(/(?=[A-Z])|_/).some((part) => part.toLowerCase() === word)
}
