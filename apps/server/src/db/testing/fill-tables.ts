import type { ClientBase } from 'pg'
import { SLOTS } from '../../agents/nonces.ts'
import { RULES } from '../../rows/service.ts'

interface Column {
  name: string
  type: string
  isRequired: boolean
  /** The words that a CHECK, or a rule of the program, allows; or null. */
  words: string[] | null
}

/** The id of the merchant that has them all. */
const LARGE_MERCHANT = 'ma_large'

const COLUMNS = `
  select c.oid::regclass::text as table, json_agg(json_build_object('name', attname, 'type', format_type(atttypid, null),
    'isRequired', attnotnull, 'words', (
      select string_to_array(substring(pg_get_constraintdef(k.oid) from '''{([^}]*)}'''), ',') from pg_constraint k
      where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[attnum] limit 1)) order by attnum) as columns
  from pg_class c join pg_attribute on attrelid = c.oid
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
    and c.relname <> 'schema_migrations' and attnum > 0 and not attisdropped and attgenerated = ''
  group by c.oid order by c.oid`

const UNBIND = `
  do $$ declare rule record; begin
    for rule in select conrelid::regclass as of, conname from pg_constraint
      where contype in ('c', 'f') and coninhcount = 0 and connamespace = 'public'::regnamespace
    loop execute format('alter table %s drop constraint if exists %I', rule.of, rule.conname); end loop; end $$`

/**
 * Fills each table with rows of one merchant, for the planner to look at: keys are all different, words are those that may stand
 * there, of what may be absent every other row has nothing, and the rules that no invented row can keep are gone.
 */
export async function fillTables(client: ClientBase, rowsEach: number): Promise<void> {
  const { rows } = await client.query<{ table: string; columns: Column[] }>(COLUMNS)
  await client.query(UNBIND)
  for (const { table, columns } of rows) {
    const values = columns.map((column) =>
      inventedValue({ ...column, words: column.words ?? wordsOf(table, column.name) }),
    )
    await client.query(
      `insert into ${table} (${columns.map(({ name }) => name)}) overriding system value
       select ${values.join(', ')} from generate_series(1, ${rowsEach}) n on conflict do nothing`,
    )
  }
  await client.query('analyze')
}

/** Those of `column = any ('{a,b}')`. */
function wordsOf(table: string, column: string): string[] | null {
  const rules = Object.values(RULES[table]?.holds ?? {})
  const [, words] =
    rules.map((rule) => /^(\w+) = any \('\{(.*)\}'\)$/.exec(rule)?.slice(1)).find((found) => found?.[0] === column) ??
    []
  return words?.split(',') ?? null
}

function inventedValue(column: Column): string {
  const { name, type, isRequired, words } = column
  if (name === 'merchant_id') return `'${LARGE_MERCHANT}'`
  // The slots of a ring: each has a partition.
  if (name === 'slot') return `(n % ${SLOTS})`
  const value = words === null ? valueOfType(name, type) : `(array['${words.join("','")}'])[1 + n % ${words.length}]`
  return isRequired ? value : `case when n % 2 = 0 then ${value} end`
}

function valueOfType(name: string, type: string): string {
  if (type.endsWith('[]')) return `'{}'::${type}`
  if (/^(?:bigint|integer|numeric)/.test(type)) return 'n'
  const value = VALUES[type]
  if (value === undefined) throw new Error(`${name}: no value of type ${type} is known.`)
  return value
}

const TEXT = `'t_' || lpad(n::text, 12, '0')`
const VALUES: Readonly<Record<string, string>> = {
  text: TEXT,
  'character varying': TEXT,
  uuid: `('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`,
  bytea: 'sha256(int4send(n))',
  boolean: 'n % 2 = 0',
  smallint: 'n % 100',
  jsonb: `'[]'::jsonb`,
  date: 'current_date',
  'timestamp with time zone': `now() - n * interval '1 second'`,
}
