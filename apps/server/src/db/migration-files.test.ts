import { expect, test } from 'vitest'
import { MIGRATIONS_DIRECTORY, readMigrations, splitStatements } from './migration-files.ts'
import { readStatements } from './testing/sql.ts'

// Guarantee: a migration is sent as the statements that PostgreSQL itself reads in it, and keeps out the release that
// it says cannot run on it.

test.each([
  ['create table a (id text); drop table a', ['create table a (id text)', 'drop table a']],
  ["select ';', 'it''s;' as \"a;b\";;", ["select ';', 'it''s;' as \"a;b\""]],
  ['-- one; two\nselect 1 -- three;\n;/* four; */ select 2 / 1 - 1;\n-- five', ['select 1', 'select 2 / 1 - 1']],
  [
    'do $$ begin null; end $$; do $a$ select $$;$$; $a$; select $1',
    ['do $$ begin null; end $$', 'do $a$ select $$;$$; $a$', 'select $1'],
  ],
  ['-- nothing;\n', []],
])('%s', (sql, expected) => {
  expect(splitStatements(sql)).toEqual(expected)
})

test('every migration is split where PostgreSQL splits it', async () => {
  const migrations = await readMigrations(MIGRATIONS_DIRECTORY)
  expect(migrations.length).toBeGreaterThan(40)
  for (const { name, sql } of migrations) {
    const ours = await Promise.all(splitStatements(sql).map(readStatements))
    expect(placeless(ours.flat()), name).toEqual(placeless(await readStatements(sql)))
    expect(ours.filter((statements) => statements.length !== 1)).toEqual([])
  }
})

/** Without where in the text each part stands. */
function placeless(trees: unknown): unknown {
  return JSON.parse(
    JSON.stringify(trees, (key, value: unknown) =>
      /(?:location|_len|list_start|list_end)$/.test(key) ? undefined : value,
    ),
  )
}

/** Those before it are applied as they are, and 0059 keeps out whatever is too old for them. */
const FIRST_COMPARED = 59

test('a migration that says the previous release cannot run on it keeps that release out', async () => {
  const compared = (await readMigrations(MIGRATIONS_DIRECTORY)).filter(({ version }) => version >= FIRST_COMPARED)
  const said = compared.map(({ name, sql }) => [
    name,
    /^-- Compatible with the previous release: (yes|no)/m.exec(sql)?.[1],
  ])
  expect(said).toEqual(compared.map(({ name, incompatible }) => [name, incompatible ? 'no' : 'yes']))
  expect(said).toContainEqual(['sessions_in_charges', 'no'])
})
