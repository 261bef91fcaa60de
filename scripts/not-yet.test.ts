// Guarantee: what the documentation calls "not yet" is not there; the developer who builds it is told which sentences end with it.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const PAGE = 'apps/surface/src'

interface NotYet {
  what: string
  isThere(): Promise<boolean>
  /** Where it is said, and in which words. */
  said: Readonly<Record<string, string>>
}

const NOT_YET: readonly NotYet[] = [
  {
    what: 'an adapter of a real card network',
    isThere: () => hasOthers('apps/server/src/network', /^[^.]+$/, ['simulator', 'testing']),
    said: {
      'README.md': 'the simulator is the only card network',
      'CHANGELOG.md': 'the simulator is the only card network',
      'docs/guides/self-hosting.md': 'The only card network adapter is the simulator.',
    },
  },
  {
    what: 'the console',
    isThere: () => hasOthers('apps', /./, ['server', 'surface', 'wallet']),
    said: { 'README.md': '**The developer console**', 'CHANGELOG.md': 'no developer console' },
  },
  {
    what: 'the page in other languages',
    isThere: () => hasOthers(`${PAGE}/text`, /^..\.ts$/, ['en.ts']),
    said: { 'README.md': '**The page in other languages**', 'CHANGELOG.md': 'The page is in English' },
  },
]

test.each(NOT_YET)('$what is not there, and said so', async ({ isThere, said }) => {
  expect(await isThere()).toBe(false)
  const unsaid: string[] = []
  for (const [file, words] of Object.entries(said)) {
    const text = await readFile(join(ROOT, file), 'utf8')
    if (!text.replaceAll(/\s+/g, ' ').includes(words)) unsaid.push(`${file} does not say "${words}"`)
  }
  expect(unsaid).toEqual([])
})

async function hasOthers(folder: string, names: RegExp, known: readonly string[]): Promise<boolean> {
  const found = await readdir(join(ROOT, folder))
  return found.some((name) => names.test(name) && !known.includes(name))
}
