import type { PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { CARD, DELETABLE_CARD, LISTED_CARD, SAVED_CARD } from '../cards/fragments.ts'
import { COMPLETED, FAILED } from '../charges/end-fragments.ts'
import { NO_WORK } from '../charges/work-fragments.ts'
import { CHALLENGE, PASSKEY } from '../passkeys/fragments.ts'
import { RECORD } from '../vault/fragments.ts'
import { ATTEMPT } from '../webhooks/delivery/history-store.ts'
import { OPERATOR_STATEMENTS, SCANNING_STATEMENTS } from './operator-statements.ts'
import { int, type Shape, snakeCase, text } from './row.ts'
import { checkServer } from './server.ts'
import { STATEMENTS, type Statement } from './statement.ts'
import { OPERATOR_TABLES } from './tables.ts'
import { type Description, describeStatement } from './testing/describe-statement.ts'
import { loadStatements } from './testing/load-statements.ts'
import { findScans, type IndexInfo, planOf } from './testing/plan.ts'

// Guarantee: every SQL text of the program is valid on the migrated schema, returns what its shape says, stays inside one
// merchant unless listed, and finds its rows by an index.

/** Inside one merchant: a key that starts with the caller's own merchant_id, or a row written for it. */
const ONE_MERCHANT =
  /\bmerchant_id\s*=\s*\$(\d+)\b|insert\s+into\s+\w+(?:\s+as\s+\w+)?\s*\(\s*merchant_id\b[^)]*\)\s*(?:values\s*\(|select)\s*\$(\d+)\b/gi
const JSON_OIDS = [114, 3802]
const NAME = /^[a-z]+\.[a-z0-9]+(?:_[a-z0-9]+)*$/

let statements: Statement[] = []
let database: TestDatabase
let tenantTables: string[] = []

beforeAll(async () => {
  await loadStatements()
  statements = [...STATEMENTS.values()]
  database = await createTestDatabase()
  const { rows } = await database.pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and relname <> all($1)`,
    [Object.keys(OPERATOR_TABLES)],
  )
  tenantTables = rows.map(({ name }) => name)
})
afterAll(() => database?.close())

test('there are statements', () => {
  expect(statements.length).toBeGreaterThan(0)
  expect(tenantTables.length).toBeGreaterThan(0)
})

test('every name is <feature>.<verb>, in snake_case', () => {
  expect(statements.map(({ name }) => name).filter((name) => !NAME.test(name))).toEqual([])
})

test('every statement is valid and returns the columns of its shape, by name and type', async () => {
  expect(await describeAll(statements, columnProblems)).toEqual([])
})

/** Shapes of rows that come in a column of another row, where no statement of their own describes them, by their tables. */
const ROWS_IN_COLUMNS: readonly { shape: Shape; table: string; computed?: readonly string[] }[] = [
  { shape: CARD, table: 'cards' },
  { shape: LISTED_CARD, table: 'cards' },
  { shape: SAVED_CARD, table: 'cards' },
  { shape: DELETABLE_CARD, table: 'cards' },
  { shape: PASSKEY, table: 'passkeys', computed: ['released'] },
  { shape: RECORD, table: 'vault_records' },
  { shape: CHALLENGE, table: 'passkey_challenges' },
  { shape: ATTEMPT, table: 'webhook_attempts' },
]

test('rows in columns are declared as their tables are, by name and type', async () => {
  const { rows } = await database.pool.query<{ cell: string; type: string }>(
    `select attrelid::regclass || '.' || attname as cell, atttypid::text as type from pg_attribute
     where attrelid = any($1::regclass[]) and attnum > 0 and not attisdropped`,
    [ROWS_IN_COLUMNS.map(({ table }) => table)],
  )
  const types = new Map(rows.map(({ cell, type }) => [cell, Number(type)]))
  const wrong = ROWS_IN_COLUMNS.flatMap(({ shape, table, computed = [] }) =>
    Object.entries(shape)
      .filter(
        ([name, { oids }]) => !computed.includes(name) && !oids.includes(types.get(`${table}.${snakeCase(name)}`) ?? 0),
      )
      .map(([name]) => `${table}.${name}`),
  )
  expect(wrong).toEqual([])
})

test('every shape of rows in columns is compared', () => {
  const compared = new Set(ROWS_IN_COLUMNS.map(({ shape }) => shape))
  const used = statements.flatMap(({ name, shape }) =>
    Object.values(shape ?? {}).flatMap(({ rows }) => (rows === undefined || compared.has(rows) ? [] : [name])),
  )
  expect(used).toEqual([])
})

test('every parameter is used, and those of type jsonb are written as JSON', async () => {
  expect(await describeAll(statements, parameterProblems)).toEqual([])
})

describe('the checks above see', () => {
  const planted = (sql: string, change: Partial<Statement> = {}): Statement => ({
    name: 'planted',
    text: sql,
    parameters: [{ name: 'value', isJson: false }],
    shape: { id: text },
    writes: false,
    ...change,
  })
  const GOOD = 'select id from merchants where id = $1'

  test.each<[string, Statement, string[]]>([
    ['nothing wrong', planted(GOOD), []],
    [
      'a column that the shape has not',
      planted('select id, name from merchants where id = $1'),
      ['has name, which is'],
    ],
    ['a column that the rows have not', planted(GOOD, { shape: { id: text, expMonth: int } }), ['misses exp_month']],
    ['another type', planted(GOOD, { shape: { id: int } }), ['id has type 25']],
    ['a column twice', planted('select id, name as id from merchants where id = $1'), ['has id twice']],
    ['rows that nothing reads', planted(GOOD, { shape: null }), ['has id, which is']],
    ['an invalid text', planted('select id from nowhere where id = $1'), ['relation "nowhere" does not exist']],
  ])('%s', async (_name, statement, problems) => {
    const found = await describeAll([statement], columnProblems)
    expect(found).toEqual(problems.map((problem) => expect.stringContaining(`planted: ${problem}`)))
  })

  test.each<[string, Statement, string[]]>([
    ['a parameter in a comment only', planted('select id from merchants -- $1'), ['names a parameter']],
    [
      'a value for jsonb that is not written as JSON',
      planted('update idempotency_keys set outcome = $1', { shape: null }),
      ['$value is JSON in one place only'],
    ],
    [
      'a text that is written as JSON',
      planted(GOOD, { parameters: [{ name: 'value', isJson: true }] }),
      ['$value is JSON in one place only'],
    ],
  ])('%s', async (_name, statement, problems) => {
    const found = await describeAll([statement], parameterProblems)
    expect(found).toEqual(problems.map((problem) => expect.stringContaining(`planted: ${problem}`)))
  })

  test.each<[string, string, boolean]>([
    ['a comparison', 'select 1 from cards where id = $1 and merchant_id = $2', true],
    ['a row of the merchant', 'insert into cards (merchant_id, id) values ($2, $1)', true],
    ['a comparison with another value', 'select 1 from cards where merchant_id = $1 and id = $2', false],
    ['a row of another value', 'insert into cards (merchant_id, id) values ($1, $2)', false],
    ['no comparison', 'select merchant_id from cards where id = $1', false],
  ])('%s: %s is inside one merchant: %s', (_name, sql, inside) => {
    const parameters = ['cardId', 'merchantId'].map((name) => ({ name, isJson: false }))
    expect(namesOneMerchant(planted(sql, { parameters }))).toBe(inside)
  })
})

test('every statement on tenant tables names one merchant, or is listed as the operator’s', () => {
  const crossing = statements.filter((statement) => isTenant(statement.text) && !namesOneMerchant(statement))
  expect(crossing.map(({ name }) => name).sort()).toEqual(Object.keys(OPERATOR_STATEMENTS).sort())
})

test('every exemption is needed and has a reason', () => {
  const entries = [...Object.entries(OPERATOR_STATEMENTS), ...Object.entries(SCANNING_STATEMENTS)]
  expect(entries.filter(([name]) => !STATEMENTS.has(name)).map(([name]) => name)).toEqual([])
  expect(entries.filter(([, reason]) => reason.length < 10).map(([name]) => name)).toEqual([])
})

describe('plans (EXPLAIN (GENERIC_PLAN) came with PostgreSQL 16)', () => {
  let indexes: ReadonlyMap<string, IndexInfo>
  /** Before 18 all indexes of an empty table look equal (`statistics.ts`); `plans-at-scale.test.ts` looks at full ones. */
  let versionNumber: number
  beforeEach(async (context) => {
    versionNumber = (await checkServer(database.pool)).versionNumber
    context.skip(versionNumber < 160_000)
    indexes = await readIndexes()
  })

  test('the check sees a scan', async () => {
    const see = (text: string) => withClient((client) => explain(client, text, indexes))
    expect(await see('select 1 from cards where merchant_id = $1 and id = $2')).toEqual([])
    expect(await see('select 1 from cards where id = $1')).not.toEqual([])
    expect(await see('select 1 from cards where last4 = $1')).toEqual(['scans cards'])
    expect(await see('select id from cards order by merchant_id, id')).toEqual(['reads all of cards_pkey on cards'])
  })

  test('a foreign key is checked by the whole key', async (context) => {
    context.skip(versionNumber < 180_000)
    const wide: string[] = []
    await withClient(async (client) => {
      for (const { name, text } of await readForeignKeyChecks()) {
        const scans = await explain(client, text, indexes)
        if (scans.length > 0) wide.push(`${name}: ${scans.join('; ')}`)
      }
    })
    expect(wide).toEqual([])
  })

  test('no statement reads a whole tenant table, or all rows of a merchant', async (context) => {
    context.skip(versionNumber < 180_000)
    const scanning = new Map<string, string>()
    await withClient(async (client) => {
      for (const { name, text } of statements) {
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

/** True when the text compares `merchant_id` with the value named `$merchantId`, or inserts it. */
function namesOneMerchant({ text, parameters }: Statement): boolean {
  return [...text.matchAll(ONE_MERCHANT)].some(([, compared, inserted]) => {
    const number = Number(compared ?? inserted)
    return parameters[number - 1]?.name === 'merchantId'
  })
}

/** How the columns that the server describes differ from the shape. */
function columnProblems({ shape }: Statement, { columns }: Description): string[] {
  const shaped = new Map(Object.entries(shape ?? {}).map(([name, { oids }]) => [snakeCase(name), oids]))
  const names = columns.map(({ name }) => name)
  return [
    ...[...shaped.keys()].filter((name) => !names.includes(name)).map((name) => `misses ${name}`),
    ...names.filter((name) => !shaped.has(name)).map((name) => `has ${name}, which is not in the shape`),
    ...names.filter((name, place) => names.indexOf(name) !== place).map((name) => `has ${name} twice`),
    ...columns
      .filter(({ name, type }) => shaped.get(name)?.includes(type) === false)
      .map(({ name, type }) => `${name} has type ${type}`),
  ]
}

/** The server counts the parameters it sees: one in a comment or a string is not among them. */
function parameterProblems({ parameters }: Statement, { parameterTypes }: Description): string[] {
  const unused = parameters.length !== parameterTypes.length
  return [
    ...(unused ? ['names a parameter in a comment or a string'] : []),
    ...parameters
      .filter(({ isJson }, place) => !unused && isJson !== JSON_OIDS.includes(parameterTypes[place] ?? 0))
      .map(({ name }) => `$${name} is JSON in one place only: cast it as $${name}::jsonb`),
  ]
}

async function describeAll(
  described: readonly Statement[],
  check: (statement: Statement, description: Description) => string[],
): Promise<string[]> {
  return withClient(async (client) => {
    const problems: string[] = []
    for (const statement of described) {
      const found = await describeStatement(client, statement.text).then(
        (description) => check(statement, description),
        (error: Error) => [error.message],
      )
      problems.push(...found.map((problem) => `${statement.name}: ${problem}`))
    }
    return problems
  })
}

async function withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await database.pool.connect()
  try {
    return await work(client)
  } finally {
    // Settings go with it.
    client.release(true)
  }
}

/** What the plan of a text reads whole, though the planner was asked to avoid it: the tables are empty. */
async function explain(client: PoolClient, text: string, indexes: ReadonlyMap<string, IndexInfo>): Promise<string[]> {
  return (await planOf(client, text)).flatMap((plan) => findScans(plan, tenantTables, indexes))
}

async function readIndexes(): Promise<Map<string, IndexInfo>> {
  const { rows } = await database.pool.query<IndexInfo>(
    `select i.relname as name, c.relname as "tableName", array(
         select a.attname::text from unnest(x.indkey) with ordinality k (attnum, place)
         left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum order by k.place) as columns, x.indpred is not null as partial
     from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
     where c.relnamespace = 'public'::regnamespace and c.relname = any($1)`,
    [tenantTables],
  )
  return new Map(rows.map((index) => [index.name, index]))
}

/** What the server runs for each new row of a table with a foreign key. */
async function readForeignKeyChecks(): Promise<{ name: string; text: string }[]> {
  const { rows } = await database.pool.query<{ name: string; target: string; columns: string[] }>(
    `select k.conname as name, k.confrelid::regclass::text as target, array(
       select a.attname::text from unnest(k.confkey) n join pg_attribute a on a.attrelid = k.confrelid and a.attnum = n) as columns
     from pg_constraint k where k.contype = 'f' and k.connamespace = 'public'::regnamespace`,
  )
  return rows.map(({ name, target, columns }) => {
    const key = columns.map((column, index) => `x.${column} = $${index + 1}`).join(' and ')
    return { name, text: `select 1 from only ${target} x where ${key} for key share of x` }
  })
}

// schema.test.ts keeps their indexes to these columns: an update that changes an index writes every index anew.
test.each([
  ['charges', /\b(?:agent_id|created_at|likeness|reference|standing_mandate_id) = /],
  ['mandates', /\b(?:agent_id|customer_id|per_checkout) = /],
])('no update of %s sets what is indexed', (table, indexed) => {
  const updates = updatesOf(table)
  expect(updates.length).toBeGreaterThan(3)
  expect(updates.filter(([, set = '']) => indexed.test(set))).toEqual([])
})

test.each([
  ['makes a charge fail frees its reference', /reference_freed|status = 'failed'/, FAILED, 3],
  ['completes a charge', /status = 'completed'/, COMPLETED, 2],
])('what %s leaves nothing to do', (_, changes, whole, most) => {
  const ending = updatesOf('charges').filter(([, set]) => changes.test(set))
  expect(ending.length).toBeGreaterThan(most)
  expect(ending.filter(([, set]) => !set.includes(whole))).toEqual([])
  expect(whole).toContain(NO_WORK)
})

/** The updates of a table: the statement, and what it sets. */
function updatesOf(table: string): [name: string, set: string][] {
  const update = new RegExp(`update ${table}\\b[^;]*?\\bset\\b([\\s\\S]*?)\\bwhere\\b`, 'g')
  return statements.flatMap(({ name, text }) =>
    [...text.matchAll(update)].map(([, set = '']): [string, string] => [name, set]),
  )
}

// The look is the foreign key's own and in no statement: without an index it reads all rows of the merchant, and grows with them. An
// index is on a column of the key that is not the merchant, or begins with all of them.
test('who deletes a row does not read all rows that could point to it', async () => {
  const deleted = statements.flatMap(({ text }) => [...text.matchAll(/\bdelete from (\w+)/g)].map(([, table]) => table))
  const { rows } = await database.pool.query<{ name: string; isIndexed: boolean }>(
    `select c.conname as name, exists (
       select 1 from pg_index x where x.indrelid = c.conrelid and (
         x.indkey[0] = any (c.conkey)
           and x.indkey[0] is distinct from (select attnum from pg_attribute where attrelid = c.conrelid and attname = 'merchant_id')
         or (x.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)
     ) as "isIndexed"
     from pg_constraint c where c.contype = 'f' and c.confrelid = any ($1::regclass[])`,
    [deleted],
  )
  expect(rows.map(({ name }) => name).sort()).toEqual([
    'merchants_webhook_secret_key_id_fkey',
    'shops_key_key_id_fkey',
    'vault_records_number_key_id_fkey',
    'wallet_cart_lines_cart_id_fkey',
    'wallet_orders_cart_id_fkey',
    'webhook_endpoints_former_secret_key_id_fkey',
    'webhook_endpoints_secret_key_id_fkey',
  ])
  expect(rows.filter(({ isIndexed }) => !isIndexed)).toEqual([])
})
