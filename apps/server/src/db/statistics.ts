import type { ClientBase } from 'pg'

/** The functions that write statistics came with it. */
const KNOWS_HOW = 180_000

/**
 * Tells the planner what it cannot know of an empty table: that all rows may be one merchant's. Without statistics it takes
 * any comparison for one that leaves a single row, so an index narrowed by the merchant and a time looks as good as the
 * primary key; a plan made then is kept, and reads more with each row that the merchant adds, until the next analyze. One
 * approval read all open challenges, a thousand pages after nine hundred payments. Tables that were analyzed know better and
 * are left alone. Older servers find out by themselves, with their first analyze of each table. `table`: that one alone. Known is what the
 * view shows to the owner of a table: the catalog behind it is the superuser's, whom production is not run as.
 */
export async function assumeOneMerchant(tx: ClientBase, table: string | null = null): Promise<void> {
  const { rows } = await tx.query<{ knows: boolean }>(
    `select current_setting('server_version_num')::int >= ${KNOWS_HOW} as knows`,
  )
  if (rows[0]?.knows === true) await tx.query(WRITE_STATISTICS, [table])
}

const WRITE_STATISTICS = `
  select pg_restore_attribute_stats('schemaname', 'public', 'relname', relname::text, 'attname', attname::text,
    'inherited', false, 'null_frac', 0::real, 'avg_width', 14, 'n_distinct', 1::real)
  from pg_class join pg_attribute on attrelid = pg_class.oid
  where relnamespace = 'public'::regnamespace and relkind = 'r' and attname = 'merchant_id'
    and ($1::text is null or relname = $1)
    and not exists (select 1 from pg_stats known
      where known.schemaname = 'public' and known.tablename = relname and known.attname = pg_attribute.attname)`
