import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { parse } from '@swc/core'
import { expect, test } from 'vitest'

// Guarantee: one word a thing. What `docs/glossary.md` says that a thing is not called is in no name of the code, and what the page names is there.
// The page is the list: another word is forbidden, and another name let through, by writing it there.

const SOURCES = '{apps,packages,examples,scripts,bench}/**/*.{ts,tsx}'
const BUILT = /node_modules|\/dist(?:\/|$)/
/** Where the paths of the page may begin. */
const BASES = ['apps/server/src/', '']

/** Names of the wire and of tables, which the contract and the schema have given: ours are in camelCase. */
const SNAKE_CASE = /^[a-z0-9]+(?:_[a-z0-9]+)+$/
const CAPITALS = /^[A-Z][A-Z0-9_]*$/

const page = await readFile('docs/glossary.md', 'utf8')
const entries = page
  .split(/^- (?=\*\*[^*]+\*\*[:,])/m)
  .slice(1)
  .map((text) => {
    const [entry = ''] = text.split(/^#/m)
    const [said = '', not = ''] = entry.split(/\bNot: /)
    const [meaning = '', where = ''] = said.split(/\bWhere: /)
    const words = [...meaning.matchAll(/\*\*([^*]+)\*\*(?=[:,])/g)].map(([, word = '']) => word)
    return { words, where: quoted(where), not: quoted(not) }
  })
const forbidden = new Map(entries.flatMap(({ words, not }) => not.map((word) => [word, words.join(' or ')] as const)))
const [, table = ''] = page.split('## Names that stay')
const staying = [...table.matchAll(/^\| (`[^|]+) \| ([^|]+) \|/gm)].map(([, names = '', places = '']) => ({
  names: quoted(names),
  places: quoted(places),
}))

function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, inside = '']) => inside)
}

function isIn(path: string, place: string): boolean {
  return BASES.some((base) => path.startsWith(base + place))
}

/** The words of a name: `MAX_PARAM` and `maxParam` have the same. */
function wordsOf(name: string): string[] {
  const parted = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
  return parted.toLowerCase().split(/[_$]+/)
}

/** What the page forbids of a name, also of several: `vendors`. Words in capitals are forbidden in the names of constants. */
function forbiddenIn(name: string): string | undefined {
  if (SNAKE_CASE.test(name)) return undefined
  const words = wordsOf(name).flatMap((word) => [word, word.replace(/s$/, '')])
  const spelt = CAPITALS.test(name) ? words.flatMap((word) => [word, word.toUpperCase()]) : words
  return spelt.find((word) => forbidden.has(word))
}

/** All names of a source: declared or used, for what is used was declared somewhere. No comments, texts or SQL. */
async function namesOf(path: string, source: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  collect((await parse(source, { syntax: 'typescript', tsx: path.endsWith('x'), target: 'esnext' })).body, names)
  return names
}

function collect(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return
  if ('value' in node && 'type' in node && (node.type === 'Identifier' || node.type === 'PrivateName')) {
    names.add(String(node.value))
  }
  for (const part of Object.values(node)) collect(part, names)
}

test('no name has a word that the glossary says is not the word', async () => {
  const found = new Set<string>()
  const wrong: string[] = []
  let count = 0
  for await (const path of glob(SOURCES, { exclude: (path) => BUILT.test(path) })) {
    count += 1
    for (const name of await namesOf(path, await readFile(path, 'utf8'))) {
      const word = forbiddenIn(name)
      if (word === undefined) continue
      const letThrough = staying.filter(({ names }) => names.includes(name))
      const places = letThrough.flatMap((row) => row.places).filter((place) => isIn(path, place))
      for (const each of [name, ...places]) found.add(each)
      if (places.length === 0) wrong.push(`${path}: ${name} has "${word}"; the word is ${forbidden.get(word)}`)
    }
  }
  expect(count).toBeGreaterThan(1_000)
  expect(wrong).toEqual([])
  // A name that is let through is there, and in each of the places, or the page says more than is so.
  const said = staying.flatMap(({ names, places }) => [...names, ...places])
  expect(said.filter((each) => !found.has(each))).toEqual([])
})

test('what the glossary names is there, and its own words are not forbidden', async () => {
  const schema = await readFile('apps/server/migrations/schema.sql', 'utf8')
  const isThere = (place: string) => {
    if (place.includes('/')) return BASES.some((base) => existsSync(base + place))
    const [name, column] = place.split('.')
    const [, columns] = new RegExp(`^create table public\\.${name} \\(\n([\\s\\S]*?)^\\)`, 'm').exec(schema) ?? []
    return columns !== undefined && (column === undefined || columns.includes(`\n  ${column} `))
  }
  expect(entries.length).toBeGreaterThan(50)
  expect([...forbidden.keys()].filter((word) => !/^(?:[a-z]+|[A-Z]+)$/.test(word))).toEqual([])
  expect(entries.flatMap(({ where }) => where).filter((place) => !isThere(place))).toEqual([])
  expect(entries.flatMap(({ words }) => words).filter((word) => forbiddenIn(word) !== undefined)).toEqual([])
})

test.each([
  ['const vendorId = 1', 'vendor'],
  ['export function listVendors() {}', 'vendor'],
  ['class Enrolment {}', 'enrolment'],
  ['interface Shown { shopperName: string }', 'shopper'],
  ['const at = ({ from }: { from: { trolley: number } }) => from', 'trolley'],
  ['class Kept { #bots = 0 }', 'bot'],
  ['const MOST_ASKED = 20', 'MOST'],
  ['const COUNTED_AT_MOST = 20', 'MOST'],
  // Neither a constant, nor a name, nor a name of ours.
  ['const mostOf = (total: bigint) => total', undefined],
  [`const text = 'a vendor' // of a vendor`, undefined],
  ['const body = { vendor_id: 1 }', undefined],
  ['const seasonTicket = 1', undefined],
])('%s', async (source, word) => {
  const words = [...(await namesOf('a.ts', source))].flatMap((name) => forbiddenIn(name) ?? [])
  expect(words).toEqual(word === undefined ? [] : [word])
})
