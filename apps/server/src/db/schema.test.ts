import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dumpSchema } from '../../../../scripts/schema-dump.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { MIGRATIONS_DIRECTORY } from './migration-files.ts'
import { OPERATOR_TABLES } from './tables.ts'

// Guarantee: the schema stays distributable by merchant (the rules of `faults.md`), and what is reviewed in schema.sql is
// what the migrations make.

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.close())

test('schema.sql is what the migrations make (npm run schema writes it)', async () => {
  const committed = await readFile(join(MIGRATIONS_DIRECTORY, 'schema.sql'), 'utf8')
  expect(await dumpSchema(database.pool)).toBe(committed)
})

test('every operator table exists and has a reason', async () => {
  const names = await list(
    `select relname as what from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
  )
  expect(Object.keys(OPERATOR_TABLES).filter((name) => !names.includes(name))).toEqual([])
  expect(Object.entries(OPERATOR_TABLES).filter(([, reason]) => reason.length < 10)).toEqual([])
})

describe('merchant_id leads on every tenant table', () => {
  test('its primary key', async () => {
    expect(
      await listTenant(`
        select t.relname as what from tenant t
        left join pg_constraint k on k.conrelid = t.oid and k.contype = 'p'
        left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.conkey[1]
        where a.attname is distinct from 'merchant_id'`),
    ).toEqual([])
  })

  test('its unique indexes', async () => {
    expect(
      await listTenant(`
        select i.indexrelid::regclass::text as what from tenant t
        join pg_index i on i.indrelid = t.oid and i.indisunique
        left join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
        where a.attname is distinct from 'merchant_id'`),
    ).toEqual([])
  })

  test('its foreign keys, which stay inside one merchant', async () => {
    expect(
      await listTenant(`
        select k.conname as what from tenant t
        join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
        join pg_attribute a on a.attrelid = t.oid and a.attnum = k.conkey[1]
        join pg_attribute f on f.attrelid = k.confrelid and f.attnum = k.confkey[1]
        where (a.attname <> 'merchant_id'
           or (f.attname <> 'merchant_id' and (k.confrelid <> 'merchants'::regclass or f.attname <> 'id')))
          -- Copied to every node.
          and not (k.confrelid = 'key_encryption_keys'::regclass and f.attname = 'id')`),
    ).toEqual([])
  })
})

// Such a key locks the merchant's row, and changes it on its page, with each new row: all payments share that row.
test('no foreign key leads from what payments make to their merchant', async () => {
  const { rows } = await database.pool.query<{ table: string }>(
    `select conrelid::regclass::text as table from pg_constraint where contype = 'f' and confrelid = 'merchants'::regclass`,
  )
  const made = [
    'customers',
    'sessions',
    'charges',
    'vault_records',
    'cards',
    'passkeys',
    'mandates',
    'approvals',
    'events',
  ]
  expect(rows.filter(({ table }) => made.includes(table))).toEqual([])
  expect(rows.map(({ table }) => table)).toContain('api_keys')
})

test('no foreign key leads from one schema into another', async () => {
  expect(
    await list(`
      select k.conname as what from pg_constraint k
      join pg_class a on a.oid = k.conrelid join pg_class b on b.oid = k.confrelid
      where k.contype = 'f' and a.relnamespace <> b.relnamespace`),
  ).toEqual([])
})

/** Name, table and the ending its kind must have, of every constraint and index; but of partitions, whose server names them. */
const NAMED = `
  select k.conname as name, c.relname as table_name,
         case k.contype when 'p' then 'pkey' when 'u' then 'key' when 'x' then 'excl' when 'c' then 'check' else 'fkey' end as ending
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'simnet') and k.contype in ('p', 'u', 'x', 'c', 'f') and not c.relispartition
  union all
  select i.relname, c.relname, case when x.indisunique then 'key' else 'idx' end
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'simnet') and not c.relispartition and not exists (select 1 from pg_constraint k where k.conindid = i.oid
                                                          and k.contype in ('p', 'u', 'x'))`

describe('code maps violations by name, so', () => {
  test('every constraint and index is named <table>_<what>_<kind>', async () => {
    expect(
      await list(`
        select format('%s on %s', name, table_name) as what from (${NAMED}) named
        where name !~ ('^' || table_name || case ending when 'pkey' then '_pkey$' else '_[a-z0-9_]+_' || ending || '$' end)`),
    ).toEqual([])
  })

  test('every name was written by us, not made up by the server', async () => {
    const names = await list(`select name as what from (${NAMED}) named where table_name <> 'schema_migrations'`)
    const files = (await readdir(MIGRATIONS_DIRECTORY)).filter((name) => /^\d{4}_.*\.sql$/.test(name))
    const texts = await Promise.all(files.map((name) => readFile(join(MIGRATIONS_DIRECTORY, name), 'utf8')))
    const words = new Set(texts.join('\n').match(/\w+/g))
    expect(names.filter((name) => !words.has(name))).toEqual([])
  })
})

/** Columns with what the rules below need to know. */
const COLUMNS = `
  select format('%s.%s', c.oid::regclass, a.attname) as what, a.attname, a.attidentity,
         format_type(a.atttypid, null) as type, pg_get_expr(d.adbin, d.adrelid) as expression
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relkind in ('r', 'p') and n.nspname in ('public', 'simnet')`

describe('nothing depends on one server’s counters or clock', () => {
  test('no sequence, serial or identity column', async () => {
    expect(await list(`select relname as what from pg_class where relkind = 'S'`)).toEqual([])
    expect(
      await list(`select what from (${COLUMNS}) columns where attidentity <> '' or expression ~ 'nextval'`),
    ).toEqual([])
  })

  test('no default that reads a clock: times are parameters', async () => {
    expect(
      await list(
        `select what from (${COLUMNS}) columns where expression ~* '(now|timestamp|timeofday|current_date|current_time)'`,
      ),
    ).toEqual([])
  })

  test('every time is a timestamptz', async () => {
    expect(
      await list(`
        select what from (${COLUMNS}) columns
        where type in ('timestamp without time zone', 'time without time zone', 'time with time zone')
           or (attname ~ '_(at|until)$' and type <> 'timestamp with time zone')`),
    ).toEqual([])
  })
})

describe('open work', () => {
  test('has a table of its own, or is in the row of its charge: no other knows when something is due, or who has it', async () => {
    expect(
      await listTenant(`
        select t.oid::regclass::text as what from tenant t join pg_attribute a on a.attrelid = t.oid
        where a.attname in ('due_at', 'work_due_at', 'lease_until', 'lease_fence') and not a.attisdropped group by 1 order by 1`),
    ).toEqual(['charges', 'open_work'])
  })

  test.each([
    ['open_work', 'kind, due_at', 'attempts >= 0'],
    ['open_work', 'kind, merchant_id, due_at', `attempts > '-1'::integer`],
    ['charges', 'work_due_at', 'attempts >= 0'],
    ['charges', 'merchant_id, work_due_at', `attempts > '-1'::integer`],
  ])('in %s has an index over (%s), of all of it', async (table, columns, all) => {
    const found = await list(
      `select indexrelid::regclass::text as what from pg_index
       where indrelid = $1::regclass and pg_get_indexdef(indexrelid) like format('%%(%s) WHERE (%s)', $2::text, $3::text)`,
      [table, columns, all],
    )
    expect(found).toHaveLength(1)
  })

  test.each([
    // `reference_freed` changes once, when a charge that has a reference fails; what there is to do and when, with each step.
    [
      'charges',
      [
        ...['agent_id', 'attempts', 'created_at', 'id', 'likeness', 'merchant_id', 'reference', 'reference_freed'],
        ...['standing_mandate_id', 'work_due_at'],
      ],
    ],
    ['mandates', ['agent_id', 'customer_id', 'id', 'merchant_id', 'per_checkout']],
  ])('no step of %s to being paid changes an index, but for its work', async (table, indexed) => {
    expect(
      await list(
        `select distinct a.attname::text as what from pg_index x
         join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = x.indexrelid
         join pg_attribute a on a.attrelid = x.indrelid and d.refobjid = x.indrelid and a.attnum = d.refobjsubid
         where x.indrelid = $1::regclass
         union select a.attname::text from pg_index x
         join pg_attribute a on a.attrelid = x.indrelid and a.attnum = any (x.indkey) where x.indrelid = $1::regclass`,
        [table],
      ),
    ).toEqual(indexed)
  })
})

/** The offenders a query finds, by name. */
async function list(text: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await database.pool.query<{ what: string }>(text, values)
  return rows.map(({ what }) => what).sort()
}

/** As `list`, with the tenant tables as `tenant`. */
async function listTenant(text: string): Promise<string[]> {
  const tenant = `
    with tenant as (select oid, relname from pg_class
                    where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and relname <> all($1))`
  return await list(tenant + text, [Object.keys(OPERATOR_TABLES)])
}
