import { setTimeout as delay } from 'node:timers/promises'
import type { ClientBase, Pool } from 'pg'
import { addSeconds } from '../platform/clock.ts'
import { LOCK_NOT_AVAILABLE, sqlState } from './errors.ts'
import { assumeOneMerchant } from './statistics.ts'
import { rollback, transaction } from './transaction.ts'

// Tables that are partitioned by range over `day`, a week each, with a default partition as a net. What is past its time is
// dropped with its week, which costs the same however much was in it.

/** A partitioned table. Its default partition is called `<table>_default`, the others `<table>_<first day>`. */
export interface PartitionedTable {
  table: string
  /** How long a row stays at least. */
  keepDays: number
}

const DAY_SECONDS = 24 * 60 * 60
const DAYS = 7
const DAY_MILLIS = DAY_SECONDS * 1000
const WEEK_MILLIS = DAYS * DAY_MILLIS

/** 1 January 1970 was a Thursday; weeks begin on Mondays. */
const FIRST_MONDAY_MILLIS = 4 * DAY_MILLIS

/** The value of `day` of a row of this time: its date in UTC. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/** The first day of its week. */
export function weekOf(at: Date): string {
  const since = at.getTime() - FIRST_MONDAY_MILLIS
  return dayOf(new Date(at.getTime() - (((since % WEEK_MILLIS) + WEEK_MILLIS) % WEEK_MILLIS)))
}

function weekAfter(week: string): string {
  return dayOf(new Date(Date.parse(week) + WEEK_MILLIS))
}

function partitionName({ table }: PartitionedTable, week: string): string {
  return `${table}_${week.replaceAll('-', '')}`
}

/** The weeks that have a partition, oldest first. */
export async function listWeeks(on: Pick<Pool | ClientBase, 'query'>, { table }: PartitionedTable): Promise<string[]> {
  const { rows } = await on.query<{ week: string }>(
    `select regexp_replace(c.relname, '^.*_(\\d{4})(\\d\\d)(\\d\\d)$', '\\1-\\2-\\3') as week
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass and c.relname ~ '_\\d{8}$' order by 1`,
    [table],
  )
  return rows.map(({ week }) => week)
}

/**
 * What waits in a queue behind this wait for a lock waits as long: feed pages and the sequencer, never a change of a merchant's
 * resource, which touches no partitioned table.
 */
const LOCK_TIMEOUT = `set local lock_timeout = '200ms'`
/** Rows have come into the net since it was looked at. */
const CHECK_VIOLATION = '23514'
const TRIES = 5
const PAUSE_MILLIS = 300

/** `late`: the locks could not be had. `there`: another worker was first. */
type Outcome = 'done' | 'there' | 'late'

/** Runs a change of partitions in a transaction. */
async function changed(pool: Pool, change: (tx: ClientBase) => Promise<boolean>): Promise<Outcome> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    try {
      const done = await transaction(pool, async (tx) => {
        await tx.query(LOCK_TIMEOUT)
        return (await change(tx)) || rollback
      })
      return done === true ? 'done' : 'there'
    } catch (error) {
      if (![LOCK_NOT_AVAILABLE, CHECK_VIOLATION].includes(sqlState(error))) throw error
      await delay(PAUSE_MILLIS * Math.random() * attempt)
    }
  }
  return 'late'
}

/** Makes the partition of a week, unless it is there. Where it is late the net takes the rows. */
export function makeWeek(pool: Pool, table: PartitionedTable, week: string): Promise<Outcome> {
  return changed(pool, (tx) => addWeek(tx, table, week))
}

/**
 * The same in an open transaction; rows of that week that are in the net move into it. Made first and then attached: to create
 * it in its place would lock all of the table.
 *
 * Where rows move, no connection may read meanwhile. One that plans a question for the first time notes which partitions there are before
 * it waits for the net, and looks after it has waited: it would find the net empty, and know nothing of the new partition. Then a
 * page of the feed would pass over events, and an endpoint with a queue would seem to have none.
 */
export async function addWeek(tx: ClientBase, of: PartitionedTable, week: string): Promise<boolean> {
  const { table } = of
  const name = partitionName(of, week)
  const range = [week, weekAfter(week)]
  const hasRows = await netHasRows(tx, of, range)
  // Held by one maker at a time; the weaker one lets readers and writers pass.
  await tx.query(`lock table ${table} in ${hasRows ? 'access exclusive' : 'share update exclusive'} mode`)
  if ((await listWeeks(tx, of)).includes(week)) return false
  await tx.query(`create table ${name} (like ${table} including all)`)
  if (hasRows) {
    await tx.query(
      `with moved as (delete from ${table}_default where day >= $1 and day < $2 returning *)
       insert into ${name} select * from moved`,
      range,
    )
  }
  await tx.query(`alter table ${table} attach partition ${name} for values from ('${range[0]}') to ('${range[1]}')`)
  await assumeOneMerchant(tx, name)
  return true
}

/** Under a savepoint, whose lock goes with it: two makers that kept it would wait for each other. */
async function netHasRows(tx: ClientBase, { table }: PartitionedTable, range: string[]): Promise<boolean> {
  await tx.query('savepoint look')
  const { rows } = await tx.query<{ has_rows: boolean }>(
    `select exists (select 1 from ${table}_default where day >= $1 and day < $2) as has_rows`,
    range,
  )
  await tx.query('rollback to savepoint look')
  return rows[0]?.has_rows === true
}

/** Makes the partitions of the weeks whose rows are in the net. On a connection without limits: it may be a whole backup. */
export async function emptyNet(client: ClientBase, of: PartitionedTable): Promise<void> {
  for (const week of await weeksInNet(client, of)) {
    await client.query('begin')
    await addWeek(client, of, week)
    await client.query('commit')
  }
}

async function weeksInNet(on: Pick<Pool | ClientBase, 'query'>, { table }: PartitionedTable): Promise<string[]> {
  const { rows } = await on.query<{ day: string }>(`select distinct day::text as day from ${table}_default`)
  return [...new Set(rows.map(({ day }) => weekOf(new Date(day))))].sort()
}

/** How many weeks are made ahead: a worker may be away as long. */
const WEEKS_AHEAD = 3

/** What was made and dropped; `late`: some locks could not be had in time. */
interface PartitionChanges {
  made: number
  dropped: number
  late: boolean
}

/** Makes the partitions of this week and the next ones, empties the net, and drops what is past its time. Any number of workers. */
export async function keepPartitions(pool: Pool, of: PartitionedTable, now: Date): Promise<PartitionChanges> {
  const there = await listWeeks(pool, of)
  const ahead = Array.from({ length: WEEKS_AHEAD + 1 }, (_, place) =>
    weekOf(addSeconds(now, place * DAYS * DAY_SECONDS)),
  )
  const missing = [...new Set([...ahead, ...(await weeksInNet(pool, of))])].filter((week) => !there.includes(week))
  const changes: PartitionChanges = { made: 0, dropped: 0, late: false }
  for (const week of missing) {
    const outcome = await makeWeek(pool, of, week)
    if (outcome === 'done') changes.made += 1
    if (outcome === 'late') return { ...changes, late: true }
  }
  const keptFrom = dayOf(addSeconds(now, -of.keepDays * DAY_SECONDS))
  for (const week of [...there, ...missing].filter((week) => weekAfter(week) <= keptFrom)) {
    const outcome = await dropWeek(pool, of, week)
    if (outcome === 'done') changes.dropped += 1
    if (outcome === 'late') return { ...changes, late: true }
  }
  return changes
}

function dropWeek(pool: Pool, of: PartitionedTable, week: string): Promise<Outcome> {
  return changed(pool, async (tx) => {
    // In the order of makers and readers: first the table, then its parts.
    await tx.query(`lock table ${of.table} in access exclusive mode`)
    if (!(await listWeeks(tx, of)).includes(week)) return false
    await tx.query(`drop table ${partitionName(of, week)}`)
    return true
  })
}
