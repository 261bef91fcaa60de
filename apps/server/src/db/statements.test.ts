import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { OPERATOR_STATEMENTS, SCANNING_STATEMENTS } from './operator-statements.ts'
import { OPERATOR_TABLES } from './operator-tables.ts'
import { checkServer } from './server.ts'
import { STATEMENTS } from './statement.ts'
import { findScans, type IndexInfo, type PlanNode } from './testing/plan.ts'

// Guarantee: every SQL text of the program is valid on the migrated schema, stays inside one merchant unless listed, and
// finds its rows by an index.

const SOURCE = fileURLToPath(new URL('..', import.meta.url))
const DECLARES = /import\s*\{[^}]*\bstatement\b[^}]*\}\s*from\s*'[^']*statement\.ts'/
/** Inside one merchant: a key that starts with the caller's own merchant_id, or a row written for it. */
const ONE_MERCHANT = /\bmerchant_id\s*=\s*\$\d|insert\s+into\s+\w+(\s+as\s+\w+)?\s*\(\s*merchant_id\b/i

let database: TestDatabase
let tenantTables: string[] = []

beforeAll(async () => {
  for await (const path of glob('**/*.ts', { cwd: SOURCE, exclude: (name) => name.endsWith('.test.ts') })) {
    const file = SOURCE + path
    if (path.endsWith('/store.ts') || DECLARES.test(await readFile(file, 'utf8')))
      await import(pathToFileURL(file).href)
  }
  database = await createTestDatabase()
  const { rows } = await database.pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> all($1)`,
    [Object.keys(OPERATOR_TABLES)],
  )
  tenantTables = rows.map(({ name }) => name)
})
afterAll(() => database?.close())

test('there are statements', () => {
  expect(STATEMENTS.size).toBeGreaterThan(0)
  expect(tenantTables.length).toBeGreaterThan(0)
})

test('every statement can be prepared', async () => {
  const problems: string[] = []
  await withClient(async (client) => {
    for (const { name, text } of STATEMENTS.values()) {
      await client.query(`prepare checked as ${text}`).catch((error) => problems.push(`${name}: ${error.message}`))
      await client.query('deallocate all')
    }
  })
  expect(problems).toEqual([])
})

test('every statement on tenant tables names one merchant, or is listed as the operator’s', () => {
  const crossing = [...STATEMENTS.values()].filter(({ text }) => isTenant(text) && !ONE_MERCHANT.test(text))
  expect(crossing.map(({ name }) => name).sort()).toEqual(Object.keys(OPERATOR_STATEMENTS).sort())
})

test('every exemption is needed and has a reason', () => {
  const entries = [...Object.entries(OPERATOR_STATEMENTS), ...Object.entries(SCANNING_STATEMENTS)]
  expect(entries.filter(([name]) => !STATEMENTS.has(name)).map(([name]) => name)).toEqual([])
  expect(entries.filter(([, reason]) => reason.length < 10).map(([name]) => name)).toEqual([])
})

describe('plans (EXPLAIN (GENERIC_PLAN) came with PostgreSQL 16)', () => {
  let indexes: ReadonlyMap<string, IndexInfo>
  beforeAll(async () => {
    indexes = await readIndexes()
  })
  beforeEach(async (context) => {
    const { versionNumber } = await checkServer(database.pool)
    context.skip(versionNumber < 160_000)
  })

  test('the check sees a scan', async () => {
    const see = (text: string) => withClient((client) => explain(client, text, indexes))
    expect(await see('select 1 from cards where merchant_id = $1 and id = $2')).toEqual([])
    expect(await see('select 1 from cards where id = $1')).not.toEqual([])
    expect(await see('select 1 from cards where last4 = $1')).toEqual(['scans cards'])
    expect(await see('select id from cards order by merchant_id, id')).toEqual(['reads all of cards_pkey on cards'])
  })

  test('no statement reads a whole tenant table', async () => {
    const scanning = new Map<string, string>()
    await withClient(async (client) => {
      for (const { name, text } of STATEMENTS.values()) {
        const scans = await explain(client, text, indexes)
        if (scans.length > 0) scanning.set(name, scans.join('; '))
      }
    })
    const unlisted = [...scanning].filter(([name]) => !(name in SCANNING_STATEMENTS))
    expect(unlisted.map(([name, scans]) => `${name}: ${scans}`)).toEqual([])
    expect(Object.keys(SCANNING_STATEMENTS).filter((name) => !scanning.has(name))).toEqual([])
  })
})

/** True when the text names a tenant table, and not merely one of the same name in another schema. */
function isTenant(text: string): boolean {
  return tenantTables.some((table) => new RegExp(`(?<![.\\w])${table}\\b`).test(text))
}

async function withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await database.pool.connect()
  try {
    return await work(client)
  } finally {
    // Settings and prepared statements go with it.
    client.release(true)
  }
}

/** What the plan of a text reads whole, though the planner was asked to avoid it: the tables are empty. */
async function explain(client: PoolClient, text: string, indexes: ReadonlyMap<string, IndexInfo>): Promise<string[]> {
  await client.query('set enable_seqscan = off')
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
    `explain (generic_plan, format json) ${text}`,
  )
  return (rows[0]?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => findScans(Plan, tenantTables, indexes))
}

async function readIndexes(): Promise<Map<string, IndexInfo>> {
  const { rows } = await database.pool.query<IndexInfo>(
    `select i.relname as name, c.relname as "tableName", a.attname as leading, x.indpred is not null as partial
     from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
     left join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0]
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1)`,
    [tenantTables],
  )
  return new Map(rows.map((index) => [index.name, index]))
}
