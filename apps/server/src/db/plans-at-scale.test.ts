import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { RULES } from '../rows/rules.ts'
import { checkServer } from './server.ts'
import { STATEMENTS } from './statement.ts'
import { fillTables } from './testing/fill-tables.ts'
import { loadStatements } from './testing/load-statements.ts'
import { type PlanNode, planOf } from './testing/plan.ts'

// Guarantee: the one plan of a statement is good when its merchant has much, whatever the values. The server does not know them: it
// takes `limit $limit` for a tenth of all rows, and may find it cheaper then to sort them all than to read them in order.

const ROWS_EACH = 5_000
/** Rows of a table: more than that in the hands of one step has to be explained. */
const MAX_ROWS = ROWS_EACH / 50

/** Statements that gather many rows before they return any, and why they may. */
const GATHERING: Readonly<Record<string, string>> = {
  'restored.insert_subjects': 'Once after a restore: all that is open of a merchant.',
  'restored.count_subjects': 'By an operator, after a restore.',
  'restored.list_keys_used_last':
    'By an operator, after a restore: an index of the last use would make each write of it dearer.',
  'bins.delete_old_ranges': 'So many of an old table as its limit says; the server takes that for a tenth.',
  'contacts.insert': 'Counts the contacts of a merchant, of which there are few: it is what keeps them few.',
  'events.delete_parked': 'Operator: what was parked, and looked at.',
  'events.insert_numbered': 'A batch; the server takes its limit for a tenth of what waits.',
  'events.park_duplicates': 'After a defect only: looks at what waits for its number.',
  'keys.list_nodes': 'Operator: one row a process.',
  'ledger.list_entry_owners': 'A page of what is verified; the server takes its limit for a tenth.',
  'merchants.list': 'Operator: all accounts are listed.',
  'merchants.list_keys': 'Operator: the keys of one account.',
  'orders.list_carts': 'A page of what is verified; the server takes its limit for a tenth.',
  'orders.list_payments': 'A page of what is verified; the server takes its limit for a tenth.',
  'orders.list_transfers': 'A page of what is verified; the server takes its limit for a tenth.',
  'purchases.list_unresolved': 'Operator: purchases that wait for a word, which are few.',
  ...Object.fromEntries(
    Object.keys(RULES).map((table) => [
      `rows.list_broken_${table}`,
      'A page of what is verified; the server takes its limit for a tenth.',
    ]),
  ),
  'webhooks.count_others_due': 'Counts open work, which is few.',
  'webhooks.find_free_place': 'A series of the places that one merchant may have.',
}
/** `<feature>.find_held` and `release`, where a process starts alone: open work that the one before it held, which is little. */
const isOfStart = (name: string) => /\.(?:find_held|release)$/.test(name)

let database: TestDatabase
beforeAll(async () => {
  await loadStatements()
  database = await createTestDatabase()
})
afterAll(() => database?.close())

test('no statement gathers what it could read in order (EXPLAIN (GENERIC_PLAN) came with PostgreSQL 16)', async (context) => {
  const { versionNumber } = await checkServer(database.pool)
  context.skip(versionNumber < 160_000)
  const client = await database.pool.connect()
  try {
    // Never committed: what is made up is in no merchant's books.
    await client.query('begin; set local statement_timeout = 0')
    await fillTables(client, ROWS_EACH)
    const stepsOf = async (text: string) => (await planOf(client, text)).flatMap(gathered)
    // The check sees what it looks for: there is no index in this order.
    expect(await stepsOf('select id from cards where merchant_id = $1 order by last4, id limit $2')).not.toEqual([])
    const found = new Map<string, string[]>()
    for (const { name, text } of STATEMENTS.values()) {
      const steps = await stepsOf(text)
      if (steps.length > 0 && !isOfStart(name)) found.set(name, steps)
    }
    const unexplained = [...found].filter(([name]) => !(name in GATHERING))
    expect(unexplained.map(([name, steps]) => `${name}: ${steps.join('; ')}`)).toEqual([])
    expect(Object.keys(GATHERING).filter((name) => !found.has(name))).toEqual([])
  } finally {
    client.release(true)
  }
})

const GATHERS = /^(?:Sort|Hash|Aggregate|Materialize|WindowAgg|Bitmap Heap Scan|Unique|Merge Join)$/

/** The steps of a plan that have many rows in hand at a time. A count up to a limit is none. */
function gathered(node: PlanNode): string[] {
  const { 'Node Type': type, 'Plan Rows': rows, Plans = [] } = node
  const [below] = Plans
  const most = Math.max(rows, below?.['Plan Rows'] ?? 0)
  const here = GATHERS.test(type) && below?.['Node Type'] !== 'Limit' && most > MAX_ROWS
  return [...(here ? [`${type} of ${most} rows`] : []), ...Plans.flatMap(gathered)]
}
