import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dumpSchema } from '../../../../scripts/schema-dump.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { MIGRATIONS_DIRECTORY } from '../db/migration-files.ts'
import { RULES } from './rules.ts'

// Guarantee: what PostgreSQL held the hot tables to before migration 0051 is what the program asks for, rule by rule; and there is a way back.

let database: TestDatabase
let before: string
beforeAll(async () => {
  database = await createTestDatabase()
  before = await dumpSchema(database.pool)
  await runByHand(BACK)
})
afterAll(() => database?.close())

const BACK = 'back/0051_fewer_checks.sql'
const file = (name: string) => readFile(join(MIGRATIONS_DIRECTORY, name), 'utf8')

/** One statement after the other, as psql does, with the file that it takes in. */
async function runByHand(name: string): Promise<void> {
  const text = (await file(name)).replace('\\ir ../0051_fewer_checks.sql', await file('0051_fewer_checks.sql'))
  const client = await database.pool.connect()
  try {
    for (const statement of text.replaceAll(/^--.*$/gm, '').split(/;$/m)) {
      if (statement.trim() !== '') await client.query(statement)
    }
  } finally {
    client.release(true)
  }
}
const INDEXES = ['cards_vault_record_id_idx', 'sessions_preselected_vault_record_id_idx']
const names = async (text: string) =>
  [...(await file(text)).matchAll(/drop constraint if exists (\w+)/g)].map(([, name]) => name)

async function constraints(type: 'c' | 'f'): Promise<{ table: string; name: string; text: string }[]> {
  const { rows } = await database.pool.query(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as text from pg_constraint
     where contype = $1 and conrelid = any ($2::regclass[]) order by conname`,
    [type, Object.keys(RULES)],
  )
  return rows
}

test('the way back brings all that 0051 takes away, looked at, and nothing else', async () => {
  const after = await dumpSchema(database.pool)
  const lines = (text: string) => text.split(/,?\n/)
  const added = lines(after).filter((line) => !lines(before).includes(line))
  const gone = lines(before).filter((line) => !lines(after).includes(line))
  expect(gone).toEqual([])
  expect(added.map((line) => /^(?: {2}constraint|CREATE INDEX) (\w+)/.exec(line)?.[1]).toSorted()).toEqual(
    [...(await names('0051_fewer_checks.sql')), ...INDEXES].toSorted(),
  )
  expect(after).not.toContain('NOT VALID')
})

test('a row that contradicts itself ends it with the name of the rule, and it may be run again', async () => {
  const before = await dumpSchema(database.pool)
  await database.pool.query(await file('0051_fewer_checks.sql'))
  await database.pool.query(
    `insert into open_work (merchant_id, kind, id, due_at, attempts, lease_fence) values ('ma_1', 'toy', 'toy_1', now(), 0, 0)`,
  )
  await expect(runByHand(BACK)).rejects.toMatchObject({ constraint: 'open_work_kind_check' })
  await database.pool.query('delete from open_work')
  await runByHand(BACK)
  expect(await dumpSchema(database.pool)).toBe(before)
})

/** What became narrower since: the work of charges is in their rows. */
const OF_THEN: Record<string, string> = {
  open_work_kind_check: `kind = any ('{charge,mandate,card,deletion,token,endpoint,mail,purchase}')`,
}
/** Rules of columns that came after 0051: no CHECK ever said them. */
const YOUNGER = ['reference_freed', 'reference_held', 'waits', 'work'].map((name) => `charges_${name}_check`)

test('each rule of a column of before is a CHECK of before, and each CHECK of before a rule or still there', async () => {
  const brought = new Set(await names('0051_fewer_checks.sql'))
  const checks = (await constraints('c')).filter(({ name }) => brought.has(name))
  const rules = Object.entries(RULES)
    .flatMap(([table, { holds }]) =>
      Object.entries(holds).map(([name, rule]) => ({ table, name: `${table}_${name}_check`, rule })),
    )
    .filter(({ name }) => !YOUNGER.includes(name))
  expect(rules.map(({ name }) => name).toSorted()).toEqual(checks.map(({ name }) => name).toSorted())
  for (const { table, name, rule } of rules) {
    await database.pool.query(
      `alter table ${table} drop constraint ${name}, add constraint ${name} check (${OF_THEN[name] ?? rule})`,
    )
  }
  expect((await constraints('c')).filter(({ name }) => brought.has(name))).toEqual(checks)
})

test('each foreign key of before is a column that names a row', async () => {
  const brought = new Set(await names('0051_fewer_checks.sql'))
  const keys = (await constraints('f')).filter(({ name }) => brought.has(name))
  expect(keys).toHaveLength(9)
  for (const { table, text } of keys) {
    const [, column = '', target] =
      /^FOREIGN KEY \(merchant_id, (\w+)\) REFERENCES (\w+)\(merchant_id, id\)/.exec(text) ?? []
    expect([table, column, RULES[table]?.names[column]]).toEqual([table, column, target])
  }
})

test('0051, run again by hand, takes them away', async () => {
  await database.pool.query(await file('0051_fewer_checks.sql'))
  expect(await dumpSchema(database.pool)).toBe(before)
})
