import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { STATEMENTS } from '../db/statement.ts'
import { addSeconds } from '../platform/clock.ts'
import './store.ts'

// Guarantee: what a claim of a merchant's charges reads does not grow with what is due of others. Charges lie in the order in which they were
// made, which is nearly that in which they fall due: an index over all merchants looks cheap then.

const MERCHANTS = 20
const AT = new Date('2026-01-01')
/** Pages of eight kilobytes: some levels of two indexes, and the rows of one claim. */
const MAX_PAGES = 600

let database: TestDatabase
/** Charges in turn of all merchants, or of one, each due a second after the one before; without work: they are over. */
const add = (
  prefix: string,
  count: number,
  of: string,
  hasWork: boolean,
  from = AT,
  on: Pool | PoolClient = database.pool,
) =>
  on.query(
    `insert into charges (merchant_id, id, line_item_id, order_id, status, failure_code, amount_minor, currency, payee_name, payee_network_name,
       payee_url, payee_country, products, version, created_at, updated_at, work_due_at, attempts)
     select ${of}, $1::text || n, '', '', case when $4::bool then 'minting' else 'failed' end, case when $4 then null else 'CANCELLED' end, 1, 'USD', '',
       '', '', '', '[]', 1, $2::timestamptz, $2, case when $4 then $2 + n * interval '1 second' end, case when $4 then 0 end
     from generate_series(1, $3::int) n`,
    [prefix, from, count, hasWork],
  )
beforeAll(async () => {
  database = await createTestDatabase()
  await add('over_', 5_000, `'ma_' || n % ${MERCHANTS}`, false)
  await add('open_', 3_000, `'ma_' || n % ${MERCHANTS}`, true)
  await database.pool.query('analyze charges')
})
afterAll(() => database?.close())

test.each(['charges.claim_due', 'charges.release'])('%s, planned on a quiet day', async (name) => {
  const statement = STATEMENTS.get(name)
  const at = addSeconds(AT, 1_000_000)
  const given: Record<string, unknown> = {
    ...{ merchantId: 'ma_5', at, leaseBound: addSeconds(at, 120), leaseUntil: addSeconds(at, 3), limit: 20 },
  }
  const values = statement?.parameters.map((parameter) => given[parameter.name])
  const texts = values?.map((value) => `'${value instanceof Date ? value.toISOString() : value}'`)
  const client = await database.pool.connect()
  try {
    await client.query(`begin; prepare claim as ${statement?.text}; execute claim (${texts})`)
    await add('backlog_', 30_000, `'ma_1'`, true, addSeconds(AT, -40_000), client)
    const { rows } = await client.query(`explain (analyze, buffers, format json) execute claim (${texts})`)
    const [{ Plan: plan }] = rows[0]['QUERY PLAN']
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(MAX_PAGES)
  } finally {
    await client.query('rollback; deallocate claim')
    client.release()
  }
})
