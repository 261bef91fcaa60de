import { glob, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

// Guarantee: a table that goes or is given other columns (ADR 0080) is named in SQL by no test but those that are about
// it. The others say in the product's words what they ask or force, by `apps/server/test/rows/`, which then changes
// alone.

const TABLES = ['charge_references', 'mandates', 'open_work', 'passkey_challenges', 'sessions']

/** Tests of tables, of work or of plans as such, and how often each names one. This list may only shrink. */
const LEFT: Readonly<Record<string, number>> = {
  'apps/server/src/db/distribution.test.ts': 2,
  'apps/server/src/db/due-indexes.test.ts': 3,
  'apps/server/src/db/schema.test.ts': 1,
  'apps/server/src/db/statements.test.ts': 3,
  'apps/server/src/jobs/fragments.test.ts': 2,
  'apps/server/src/jobs/handle.test.ts': 3,
  'apps/server/src/jobs/wake.test.ts': 3,
  'apps/server/src/jobs/work.test.ts': 8,
  'apps/server/src/webhooks/delivery/queue-plans.test.ts': 2,
  'apps/server/test/homes/homes.test.ts': 2,
}
const ROWS = 'apps/server/test/rows/'

const NAME = `(?:public\\.)?(?:${TABLES.join('|')})\\b`
const SQL = new RegExp(
  [
    `\\b(?:from|into|update|join|truncate|analyze|lock|only|alter table|after update on|after insert on)\\s+(?:\\w+,\\s*)*${NAME}`,
    `'${NAME}'::regclass`,
    `\\btable: '${NAME}'`,
    `'public\\.${NAME}'`,
  ].join('|'),
  'g',
)
const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

const countIn = (source: string) => [...source.replace(COMMENTS, '').matchAll(SQL)].length

test('tests ask test/rows/ for what is in a table that goes', async () => {
  const found: Record<string, number> = {}
  const files = glob(['apps/server/src/**/*.test.ts', 'apps/server/src/**/testing/**/*.ts', 'apps/server/test/**/*.ts'])
  for await (const file of files) {
    if (file.startsWith(ROWS)) continue
    const count = countIn(await readFile(file, 'utf8'))
    if (count > 0) found[file] = count
  }
  expect(found).toEqual(LEFT)
})

test('a name is seen in a statement, and not in a comment or in plain English', () => {
  expect(countIn('`select 1 from cards c\n  join sessions s on true`')).toBe(1)
  expect(countIn("'truncate toys, open_work'")).toBe(1)
  expect(countIn("'update public.mandates set x = 1' + `'mandates'::regclass`")).toBe(2)
  expect(countIn("expect(alarm).toEqual({ table: 'sessions' })")).toBe(1)
  expect(countIn('// what is kept from sessions\n/* update mandates */')).toBe(0)
  expect(countIn('from other.sessions s join sessions_of_ours on true')).toBe(0)
  expect(countIn("test('many sessions end mandates')")).toBe(0)
})
