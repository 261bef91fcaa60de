// Guarantee: a connection is lent with the hot statements parsed and planned, and one that cannot be prepared is lent
// all the same.
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { findKey } from '../merchants/store.ts'
import { HOT_STATEMENTS, prepareAhead } from './hot.ts'
import { closePool, createPool } from './pool.ts'
import { text } from './row.ts'
import { one, STATEMENTS } from './statement.ts'
import { loadStatements } from './testing/load-statements.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await loadStatements()
})
afterAll(() => database?.close())

const newPool = (max: number) => createPool({ connection: database.url, max, log: { warn: () => undefined } })

/** What a connection has prepared, by whom, and how many plans it has made. */
async function preparedOn(pool: Pool) {
  const { rows } = await pool.query<{ name: string; statement: string; from_sql: boolean; generic_plans: string }>(
    'select name, statement, from_sql, generic_plans from pg_prepared_statements order by name collate "C"',
  )
  return rows
}

test('before the first request some connections are open, each with every hot statement planned', async () => {
  const pool = newPool(6)
  await prepareAhead(pool)
  expect(pool.totalCount).toBe(4)
  const rows = await preparedOn(pool)
  expect(rows.map(({ name }) => name)).toEqual([...HOT_STATEMENTS].sort())
  expect(rows.filter(({ generic_plans: plans }) => Number(plans) === 0)).toEqual([])
  await closePool(pool)
})

test('what was prepared is executed, and not parsed again', async () => {
  const pool = newPool(1)
  await prepareAhead(pool)
  expect(await findKey(pool, { keyId: 'none' })).toBeUndefined()
  // Parsed by its execution, it would be there twice, which the server refuses.
  expect((await preparedOn(pool)).find(({ name }) => name === 'merchants.find_key')).toMatchObject({
    ...{ from_sql: false, statement: STATEMENTS.get('merchants.find_key')?.text },
  })
  await closePool(pool)
})

test('a statement that the schema does not know hinders no connection', async () => {
  one('toys.find_missing', 'select id from toys_that_are_not where id = $id', { id: text })
  const pool = newPool(2)
  const all = HOT_STATEMENTS as Set<string>
  all.add('toys.find_missing')
  try {
    await prepareAhead(pool)
    expect(pool.totalCount).toBe(2)
    expect(await preparedOn(pool)).toEqual([])
  } finally {
    all.delete('toys.find_missing')
    STATEMENTS.delete('toys.find_missing')
    await closePool(pool)
  }
})
