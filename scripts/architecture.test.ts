import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SETTINGS } from '../apps/server/src/config.ts'
import { credentialsOf } from '../apps/server/src/http/credential.ts'
import { bareRoutes } from './docs/routes.ts'

// Guarantee: the map of the architecture is of what stands: the rooms of the server are its folders, in the order in which
// the lint lets them know each other; hosts take the credentials that their routes take; every page on how things go is on
// it; and it can be read in one sitting.

const ROOT = join(import.meta.dirname, '..')
const map = await readFile(join(ROOT, 'docs/architecture.md'), 'utf8')

/** What follows a heading, until the next one that is as high or higher. */
function sectionOf(heading: string): string {
  const [from, to] = [map.indexOf(`\n${heading}\n`), heading.startsWith('###') ? /^##/m : /^## /m]
  const text = from < 0 ? '' : map.slice(from + heading.length + 2)
  return text.slice(0, text.match(to)?.index)
}

const foldersIn = async (path: string) =>
  (await readdir(join(ROOT, path), { withFileTypes: true })).filter((it) => it.isDirectory()).map(({ name }) => name)

test('the map can be read in one sitting', () => {
  expect(map.trimEnd().split('\n').length).toBeLessThanOrEqual(200)
})

describe('the floors of the server', () => {
  /** As they are drawn: floors, their lines, and on each the rooms that stand beside each other. */
  const [, picture = ''] = /```text\n([\s\S]*?)```/.exec(sectionOf('### The floors of the server')) ?? []
  const floors: string[][][] = picture.split(/^ ── .*\n/m).map((floor) => {
    const rows: string[][] = []
    for (const [, mark, room = ''] of floor.matchAll(/^([ =])([a-z]+)\/ /gm)) {
      if (mark === '=') rows.at(-1)?.push(room)
      else rows.push([room])
    }
    return rows.map((row) => row.sort())
  })

  test('every room is a folder, and every folder a room', async () => {
    expect(floors.flat(2).sort()).toEqual((await foldersIn('apps/server/src')).sort())
  })

  test('the order and the floors are those of the lint', () => {
    expect(floors.flat()).toEqual(rowsOfLint())
    const neighbours = rulesOfLint('neighbours-meet-at-the-service').map(({ from }) => roomsIn(from.path).sort())
    expect(floors.slice(3, -1).map((floor) => floor.flat().sort())).toEqual(neighbours)
  })

  test.each(['hosts', 'checkout', 'wallets'])('the parts of %s are its folders', async (room) => {
    const [line = ''] = new RegExp(`^[ =]${room}/.*$`, 'm').exec(picture) ?? []
    const parts = [...line.slice(room.length + 2).matchAll(/([a-z-]+)\//g)].map(([, part]) => part)
    expect(parts.sort()).toEqual((await foldersIn(`apps/server/src/${room}`)).filter((it) => it !== 'testing').sort())
  })
})

interface LintRule {
  name: string
  from: { path: string }
  to: { path: string }
}

function rulesOfLint(name: string): LintRule[] {
  const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as { forbidden: LintRule[] }
  return forbidden.filter((rule) => rule.name === name)
}

/** `^apps/server/src/(cards|charges)/` */
function roomsIn(pattern: string): string[] {
  return (/\((?:\?:)?([a-z|]+)\)\/$/.exec(pattern)?.[1] ?? '').split('|')
}

/** From the top. Each rule is of one row, and names with it those above, which it may not know. */
function rowsOfLint(): string[][] {
  const rules = rulesOfLint('imports-go-down')
  const rows = rules.map(({ from }) => roomsIn(from.path).sort())
  const top = roomsIn(rules[0]?.to.path ?? '').filter((room) => !rows[0]?.includes(room))
  return [top, ...rows]
}

describe('the hosts', () => {
  const cellsOf = (row: string) => row.split('|').map((cell) => cell.trim())
  const namesIn = (cell = '') => [...cell.matchAll(/`([A-Za-z_]+)`/g)].map(([, name = '']) => name)
  const rows = sectionOf('## Hosts')
    .split('\n')
    .filter((line) => /^\|.*\| `[a-z_]+`/.test(line))
    .map(cellsOf)
  const TABLES = { 'Main API': 'api', 'Wallet API': 'wallet', Surface: 'surface', 'Page of owners': 'owner' } as const

  test('each takes the credentials that its routes take', () => {
    const drawn: Record<string, string[]> = {}
    let host = ''
    for (const [, name = '', , , credentials] of rows) {
      host = name === '' ? host : name
      drawn[host] = [...(drawn[host] ?? []), ...namesIn(credentials)].sort()
    }
    const routes = bareRoutes()
    const taken = Object.entries(TABLES).map(([name, table]) => {
      const credentials = routes[table].flatMap(({ auth }) => credentialsOf(auth).map((one) => one.name))
      return [name, [...new Set(credentials)].sort()]
    })
    expect(drawn).toEqual(Object.fromEntries(taken))
  })

  test('their addresses are settings', () => {
    const variables = Object.values(SETTINGS).map(({ variable }) => variable)
    const named = rows.flatMap(([, , address]) => namesIn(address))
    expect(named.length).toBeGreaterThan(6)
    expect(variables).toEqual(expect.arrayContaining(named))
  })
})

test('the folders are those of the repository', async () => {
  const named = [...sectionOf('## Folders').matchAll(/`((?:apps|packages)\/[a-z-]+)`/g)].map(([, path]) => path)
  const found = ['apps', 'packages'].map(async (of) => (await foldersIn(of)).map((name) => `${of}/${name}`))
  expect([...new Set(named)].sort()).toEqual((await Promise.all(found)).flat().sort())
})

test('every written page of docs is on the map, and every flow', async () => {
  const pages = (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md') && name !== 'architecture.md')
  const flows = (await readdir(join(ROOT, 'docs/flows'))).map((name) => `flows/${name}`)
  const linked = [...map.matchAll(/\]\(([\w/-]+\.md)[#)]/g)].map(([, path]) => path)
  expect([...pages, ...flows].filter((page) => !linked.includes(page))).toEqual([])
})

test('guarantees are numbered from one on, without a gap, and each is found by its subject', async () => {
  const page = await readFile(join(ROOT, 'docs/guarantees.md'), 'utf8')
  const numbers = [...page.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
  expect(numbers).toEqual(numbers.map((_, place) => place + 1))
  const subjects = page.slice(0, page.indexOf('\n1. '))
  const found = [...subjects.matchAll(/\b(\d+)(?: to (\d+))?/g)].flatMap(([, first, last = first]) =>
    numbers.filter((number) => number >= Number(first) && number <= Number(last)),
  )
  expect([...new Set(found)].sort((one, other) => one - other)).toEqual(numbers)
})
