import type { Pool } from 'pg'
import { text, time } from '../db/row.ts'
import { many, type Queryable } from '../db/statement.ts'
import { addSeconds, type Clock } from '../platform/clock.ts'

/** The greatest length of a lease (`LEASE_SECONDS` ends here). */
export const MAX_LEASE_SECONDS = 60
/**
 * A lease that ends later than this was set before the clock was turned back, and holds nothing. Twice the greatest
 * length, because the clocks of two processes differ a little.
 */
const LEASE_BOUND_SECONDS = 2 * MAX_LEASE_SECONDS
/** The question looks at this many times the rows of one claim, and then serves as many claims. */
const WINDOW_FACTOR = 5
/** In a backlog, how many merchants with many rows one question passes on its way to those with few. */
const MAX_HOPS = 4

/** Compared with `lease_until` at this time. */
export function leaseBound(at: Date): Date {
  return addSeconds(at, LEASE_BOUND_SECONDS)
}

/** Not held: never leased, the lease ended, or it ends later than any lease can. */
export const FREE = '(lease_until is null or lease_until <= $at or lease_until > $leaseBound)'
const KEY = { merchantId: text, dueAt: time }

/** How many due rows were seen of each merchant; few rows first. */
export type DueMerchants = Map<string, number>

/** Where due rows are found: by indexes over `due`, one for all merchants and one inside a merchant. */
export interface DueRows {
  /** The feature: what the statements are named after. */
  name: string
  table: string
  due: string
  /** Which rows of the table have something to do. */
  where: string
  /** Whether a row may be held by another worker. */
  isLeased: boolean
}

/** Declares the question for due work: without locks, over all merchants. */
export function declareFind(source: DueRows) {
  const { name, table, due, where, isLeased } = source
  // The first lease that ends among the oldest rows, so that what a dead worker held is found when its lease ends.
  const held = `union all
     (select merchant_id, lease_until from (
        select merchant_id, lease_until from ${table} where ${where} and ${due} <= $at order by ${due} limit $window) oldest
      where lease_until > $at and lease_until <= $leaseBound order by lease_until limit 1)`
  const findDue = many(
    `${name}.find_due`,
    // Probes of the index on the due time, without locks: the oldest due rows, and the first row of the future.
    `(select merchant_id, ${due} as due_at from ${table} where ${where} and ${due} <= $at and ${free(source)}
      order by ${due} limit $window)
     union all
     (select merchant_id, ${due} from ${table} where ${where} and ${due} > $at order by ${due} limit 1)
     ${isLeased ? held : ''}`,
    KEY,
  )
  const findInTurn = declareFindInTurn(source)
  return async ({ pool, clock }: { pool: Pool; clock: Clock }, limit: number) => {
    const at = clock.now()
    const place = { at, leaseBound: leaseBound(at) }
    const window = limit * WINDOW_FACTOR
    const found = await findDue(pool, { ...place, window })
    const due = found.filter(({ dueAt }) => dueAt <= at)
    const later = found.filter(({ dueAt }) => dueAt > at).sort((one, other) => Number(one.dueAt) - Number(other.dueAt))
    const nextDueAt = later[0]?.dueAt ?? null
    // In a backlog the oldest rows may all be one merchant's. Then merchants have turns as well.
    if (due.length === window) due.push(...(await findInTurn(pool, { ...place, limit })))
    return { merchants: countByMerchant(due), nextDueAt }
  }
}

function free({ isLeased }: DueRows): string {
  return isLeased ? FREE : 'true'
}

/** Declares the question who has held rows: without locks, over all merchants. */
export function declareFindHeld({ name, table, due, where }: DueRows) {
  return many(
    `${name}.find_held`,
    `select distinct merchant_id from ${table} where ${where} and ${due} <= $at and lease_until is not null`,
    { merchantId: text },
  )
}

function declareFindInTurn(source: DueRows) {
  const { name, table, due, where } = source
  const findDueInTurn = many(
    `${name}.find_due_in_turn`,
    `select merchant_id, ${due} as due_at from ${table}
     where ${where} and merchant_id > $after and ${due} <= $at and ${free(source)} order by merchant_id limit $limit`,
    KEY,
  )
  // Where the turn of this process stands. Nothing depends on it but fairness.
  let after = ''
  return async (on: Queryable, place: { at: Date; leaseBound: Date; limit: number }) => {
    const found: { merchantId: string; dueAt: Date }[] = []
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      const page = await findDueInTurn(on, { after, ...place })
      found.push(...page)
      const last = page.at(-1)?.merchantId
      after = last === undefined || page.length < place.limit ? '' : last
      // A page of one merchant only is passed: behind it are those that it must not delay.
      if (after === '' || page[0]?.merchantId !== last) break
    }
    return found
  }
}

function countByMerchant(rows: readonly { merchantId: string }[]): DueMerchants {
  const counts: DueMerchants = new Map()
  for (const { merchantId } of rows) counts.set(merchantId, (counts.get(merchantId) ?? 0) + 1)
  // Few rows first: they cost the others little. Equal ones in an order that differs between workers, which otherwise
  // would claim the same rows.
  return new Map(shuffled([...counts]).sort(([, one], [, other]) => one - other))
}

/** Takes the shares of one claim out of what was seen. All of it is served before the next question. */
export function takeShares(seen: Map<string, number>, limit: number): [string, number][] {
  const shares: [string, number][] = []
  let left = limit
  for (const [merchantId, count] of seen) {
    if (left === 0) break
    const share = Math.min(count, left)
    left -= share
    shares.push([merchantId, share])
    if (share === count) seen.delete(merchantId)
    else seen.set(merchantId, count - share)
  }
  return shares
}

function shuffled<T>(items: T[]): T[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1))
    const item = items[last] as T
    items[last] = items[other] as T
    items[other] = item
  }
  return items
}
