import { expect } from 'vitest'
import type { Queryable } from '../../src/db/statement.ts'

// Open work, as tests ask for it and as another worker would leave it. The tests name no table of it: it is on its way
// into the rows that it is of (ADR 0080).

/** For `from`: all open work that is in no row of its own. */
export const OPEN_WORK = 'open_work'

interface OpenWork {
  due_at: Date
  attempts: number
  lease_until: Date | null
  lease_fence: bigint
}

/** The open work of one kind on one row, which there has to be. */
export async function workOf(on: Queryable, kind: string, id: string): Promise<OpenWork> {
  const { rows } = await on.query<OpenWork>('select * from open_work where kind = $1 and id = $2', [kind, id])
  expect(rows, `${kind} ${id}`).toHaveLength(1)
  return rows[0] as OpenWork
}

/** The rows that have open work of a kind; of these rows alone, if they are given. */
export async function workLeft(on: Queryable, kind: string, ids: readonly string[] | null = null): Promise<string[]> {
  const { rows } = await on.query<{ id: string }>(
    'select id from open_work where kind = $1 and ($2::text[] is null or id = any($2))',
    [kind, ids],
  )
  return rows.map(({ id }) => id)
}

/** How many pieces of work there are on the row whose id this piece of SQL says: of these kinds, or of any. */
export function countOfWork(id: string, ...kinds: string[]): string {
  const of = kinds.length === 0 ? 'true' : `w.kind in (${kinds.map((kind) => `'${kind}'`)})`
  return `(select count(*)::int from open_work w where ${of} and w.id = ${id})`
}

/**
 * The kinds of all open work on a charge `c` and on its permission, in the order of their names: an array, in SQL. To
 * ask the network what it saw of the payment is none of them: when there is news of it is the network's to say.
 */
export const KINDS_OF_WORK_ON_A_CHARGE = `array(
  select kind from open_work w where w.id in (c.id, c.mandate_id) and kind <> 'observation'
  union all select 'charge' where c.work_due_at is not null order by kind)`

/** Is anything held by a worker, or due by now? */
export async function isWorkLeft(on: Queryable, at: Date): Promise<boolean> {
  const { rowCount } = await on.query(
    `select 1 from open_work where due_at < $1 or lease_until is not null
     union all select 1 from charges where work_due_at < $1 or lease_until is not null`,
    [at],
  )
  return rowCount !== 0
}

interface Deliveries {
  /** When the first of them is due. */
  due: Date | null
  held: boolean
  /** Events wait for their number. */
  waiting: boolean
}

/** What is still to be delivered to endpoints, in one snapshot. */
export async function deliveriesLeft(on: Queryable, at: Date): Promise<Deliveries> {
  const { rows } = await on.query<Deliveries>(
    `select min(due_at) as due, coalesce(bool_or(lease_until > $1), false) as held,
       exists (select 1 from captured_events where parked is null) as waiting
     from open_work where kind = 'endpoint'`,
    [at],
  )
  return rows[0] ?? { due: null, held: false, waiting: false }
}

/** How many pieces of a merchant's work are due before this moment. */
export async function countOfWorkBefore(on: Queryable, merchantId: string, before: Date): Promise<number> {
  const { rows } = await on.query('select due_at from open_work where merchant_id = $1 and due_at < $2', [
    merchantId,
    before,
  ])
  return rows.length
}

/** All open work of a merchant, as it stands. */
export async function workOfMerchant(on: Queryable, merchantId: string): Promise<OpenWork[]> {
  return (await on.query<OpenWork>('select * from open_work where merchant_id = $1', [merchantId])).rows
}

interface NewWork {
  merchantId: string
  kind: string
  id: string
  dueAt: Date
}

/** New work, which no worker has looked at. */
export async function addWork(on: Queryable, { merchantId, kind, id, dueAt }: NewWork): Promise<void> {
  await on.query(
    `insert into open_work (merchant_id, kind, id, due_at, attempts, lease_fence) values ($1, $2, $3, $4, 0, 1)`,
    [merchantId, kind, id, dueAt],
  )
}

/** All work on this row, of whatever kind. */
export async function makeWorkDue(on: Queryable, id: string, at: Date): Promise<void> {
  await on.query('update open_work set due_at = $2 where id = $1', [id, at])
}

/** Work on a session or on its charge. */
export async function makeWorkOfSessionDue(on: Queryable, sessionId: string, at: Date): Promise<void> {
  await on.query(
    'update open_work set due_at = $2 where id = $1 or id = (select id from charges where opened_by = $1)',
    [sessionId, at],
  )
}

export async function makeWorkOfMerchantDue(on: Queryable, merchantId: string, at: Date): Promise<void> {
  await on.query('update open_work set due_at = $1 where merchant_id = $2', [at, merchantId])
}

/** As if it had been tried so often; all work of the kind, unless a row is named. */
export async function setAttempts(on: Queryable, kind: string, attempts: number, id: string | null = null) {
  await on.query('update open_work set attempts = $2 where kind = $1 and ($3::text is null or id = $3)', [
    kind,
    attempts,
    id,
  ])
}

/** Another worker holds it from now on, until then. */
export async function leaseUntil(on: Queryable, kind: string, id: string, until: Date): Promise<void> {
  await on.query('update open_work set lease_until = $3, lease_fence = lease_fence + 1 where kind = $1 and id = $2', [
    kind,
    id,
    until,
  ])
}

/** All work is held for a minute, and put off for a day, by the server's own clock. */
export async function holdAllWork(on: Queryable): Promise<void> {
  await on.query(`update open_work set lease_until = now() + interval '1 minute', due_at = now() + interval '1 day'`)
}

/** A worker that holds work of this kind is overtaken: what it writes from now on is refused. */
export async function overtakeWorkers(on: Queryable, kind: string): Promise<void> {
  await on.query('update open_work set lease_fence = lease_fence + 1 where kind = $1', [kind])
}

/** The same, and the work is free again; returns how much was held. */
export async function takeWorkAway(on: Queryable, kind: string): Promise<number | null> {
  const { rowCount } = await on.query(
    'update open_work set lease_fence = lease_fence + 1, lease_until = null where kind = $1 and lease_until is not null',
    [kind],
  )
  return rowCount
}

/** Workers that hold anything at this moment write nothing any more. */
export async function takeAllWorkAway(on: Queryable, at: Date): Promise<void> {
  const free = 'set lease_until = null, lease_fence = lease_fence + 1 where lease_until > $1'
  await Promise.all(['open_work', 'charges'].map((table) => on.query(`update ${table} ${free}`, [at])))
}

export async function forgetWork(on: Queryable, id: string): Promise<void> {
  await on.query('delete from open_work where id = $1', [id])
}

export async function forgetWorkOfKind(on: Queryable, kind: string): Promise<void> {
  await on.query('delete from open_work where kind = $1', [kind])
}

export async function forgetAllWork(on: Queryable): Promise<void> {
  await on.query('delete from open_work')
}
