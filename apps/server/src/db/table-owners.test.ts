// Guarantee: each table is written by one room, its owner. Others put the owner's fragments into their statements, or
// ask its service; so whoever wants to know how a row may change reads one folder.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TABLES } from './tables.ts'

const SOURCES = join(import.meta.dirname, '..')

/** Rooms that are two folders deep. */
const HOUSES = ['checkout', 'wallets']

const WRITES = /\b(?:insert into|delete from|update)\s+(?:only\s+)?((?:simnet\.|issuing\.)?[a-z_]+)/g
const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

function sourceFiles(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.split('/').includes('testing'),
  )
}

function roomOf(path: string): string {
  const [first = '', second = ''] = path.split('/')
  return HOUSES.includes(first) ? `${first}/${second}` : first
}

function writers(files: readonly (readonly [path: string, source: string])[]): Record<string, string[]> {
  const rooms = new Map<string, Set<string>>()
  for (const [path, source] of files) {
    for (const [, table = ''] of source.replace(COMMENTS, '').matchAll(WRITES)) {
      if (table in TABLES) rooms.set(table, (rooms.get(table) ?? new Set()).add(roomOf(path)))
    }
  }
  return Object.fromEntries([...rooms].map(([table, names]) => [table, [...names].sort()]))
}

const found = writers(sourceFiles().map((path) => [path, readFileSync(join(SOURCES, path), 'utf8')]))

test('a table is written by its owner alone', () => {
  const shared = Object.entries(found).filter(([, rooms]) => rooms.length > 1)
  expect(Object.fromEntries(shared)).toEqual({})
})

test('nearly every table has a writer: the sources are read', () => {
  expect(Object.keys(found).length).toBeGreaterThan(60)
})

test('a second writer is seen, whatever the statement, and not in a comment', () => {
  const files = [
    ['charges/store.ts', 'update charges set x = 1'],
    ['sessions/store.ts', '`with gone as (\n  delete from   charges where true)`'],
    ['mandates/store.ts', '// update charges as they end\n/* insert into charges */'],
    ['wallets/carts/store.ts', 'insert into wallet_carts (id)'],
  ] as const
  expect(writers(files)).toEqual({ charges: ['charges', 'sessions'], wallet_carts: ['wallets/carts'] })
})
