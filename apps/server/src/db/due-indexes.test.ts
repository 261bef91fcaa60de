import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { checkServer } from './server.ts'
import { STATEMENTS } from './statement.ts'
import { loadStatements } from './testing/load-statements.ts'
import { planOf } from './testing/plan.ts'

// Guarantee: no row is found by when it is due. Work and open sessions are few when the first plans are made, and may be many of one
// merchant soon after: what then looked no dearer than the key reads them all. A list says so with a condition that is always
// true; without it no plan may use these indexes.

const SAYS_SO = /\b(?:attempts >= 0|attempts > -1|version > 0)/
const DUE_INDEX = /"(?:open_work|charges|sessions)_\w*(?:due|expires)_at_idx"/

let database: TestDatabase
beforeAll(async () => {
  await loadStatements()
  database = await createTestDatabase()
})
afterAll(() => database?.close())

test('a plan that was made when there was little (EXPLAIN (GENERIC_PLAN) came with PostgreSQL 16)', async (context) => {
  const { versionNumber } = await checkServer(database.pool)
  context.skip(versionNumber < 160_000)
  const client = await database.pool.connect()
  try {
    await client.query(`begin; insert into open_work (merchant_id, kind, id, due_at, attempts, lease_fence)
      select 'ma_1', 'mandate', 'mdt_' || n, now(), 0, 1 from generate_series(1, 3) n`)
    await client.query(`insert into charges (merchant_id, id, line_item_id, order_id, status, amount_minor, currency, payee_name,
        payee_network_name, payee_url, payee_country, products, version, created_at, updated_at, work_due_at, attempts)
      select 'ma_1', 'txn_' || n, '', '', 'minting', 1, 'USD', '', '', '', '', '[]', 1, now(), now(), now(), 0
      from generate_series(1, 3) n`)
    await client.query('analyze open_work; analyze charges; analyze sessions')
    const found: string[] = []
    for (const { name, text } of STATEMENTS.values()) {
      if (!/\b(?:open_work|charges|sessions)\b/.test(text) || SAYS_SO.test(text)) continue
      if (DUE_INDEX.test(JSON.stringify(await planOf(client, text)))) found.push(name)
    }
    expect(found).toEqual([])
  } finally {
    client.release(true)
  }
})
