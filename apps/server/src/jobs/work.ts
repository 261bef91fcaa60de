import type { Pool } from 'pg'
import { single } from '../db/command.ts'
import { bigint, columns, int, type RowOf, type Shape, text } from '../db/row.ts'
import { execute, many, one, type Queryable } from '../db/statement.ts'
import { addSeconds, type Clock } from '../platform/clock.ts'
import { type DueMerchants, type DueRows, declareFind, declareFindHeld, FREE, leaseBound, takeShares } from './due.ts'
import { IS_HELD, LEASED, LISTED, LISTED_INSIDE, type WorkKind, workOf } from './fragments.ts'
import { wake } from './wake.ts'

// Work is a row of `open_work`, which exists exactly while there is something to do, or part of the row that it is about. It is claimed in
// two steps: a question without locks over all merchants says who has due rows, then rows are locked and leased inside one merchant at a time.
// One locking statement over all merchants would cost more while idle, would let one merchant's backlog delay the others, and cannot run on a
// database that is distributed by merchant.

export { WORK_KINDS } from './fragments.ts'

export interface WorkDeps {
  pool: Pool
  clock: Clock
  /** How long a row stays held when its holder no longer extends the lease: it died, or lost the database. */
  leaseSeconds: number
}

/** Work held until its lease ends. */
export interface Claim {
  merchantId: string
  /** The id of the subject: the charge, the mandate, the card. */
  id: string
  /** Raised by every claim. What the holder writes must carry it, so that a holder who lost the lease writes nothing. */
  leaseFence: bigint
  /** How often the row was claimed, this time included. */
  attempts: number
}

export interface Claimed<Row> {
  rows: Row[]
  /** When the next row falls due; null when that is unknown. */
  nextDueAt: Date | null
}

/** The due work of one kind. */
export interface DueWork<Row extends Claim> {
  /** Leases at most `limit` due rows, shared fairly among the merchants that have any. */
  claim(deps: WorkDeps, limit: number): Promise<Claimed<Row>>
  /** The same, where the feature itself takes what is due of a merchant: `take` returns at most `share` of what it took. */
  claimBy<Taken>(deps: WorkDeps, limit: number, take: Take<Taken>): Promise<Claimed<Taken>>
  /** Leases one due row, in the transaction of the caller. Undefined: it is not due any more, or another holder has it. */
  claimOne(on: Queryable, row: { merchantId: string; id: string }, lease: Lease): Promise<Row | undefined>
  /** Holds the row longer. False when the lease went to another holder, or the work is over. */
  extend(on: Queryable, claim: Claim, leaseUntil: Date): Promise<boolean>
  /** Gives the row back until `retryAt`. False when the lease went to another holder, or the work is over. */
  postpone(on: Queryable, claim: Claim, retryAt: Date): Promise<boolean>
}

/** The due work of one kind, in rows that are deleted when it is done. */
export interface OpenWork<Row extends Claim> extends DueWork<Row> {
  /** Nothing is left to do. False when the lease went to another holder, or the work is over. */
  finish(on: Queryable, claim: Claim): Promise<boolean>
}

type Take<Taken> = (merchantId: string, share: number) => Promise<Taken[]>

interface Lease {
  at: Date
  leaseUntil: Date
}

/** Where work is. */
interface Place {
  table: string
  /** The column that says when it is due. */
  due: string
  /** Which of the merchant's rows are meant: SQL, with `and` behind it. */
  of: string
  /** What a claim calls the rows that it has taken. */
  as: string
}

/** The job that takes the rows, and what a claimed one holds besides the claim: read from the subject. */
interface WorkRow<S extends Shape> {
  /** The loop that is woken when a row is given back: it may be at rest for longer. Without it, who gives it back does that. */
  job?: string
  shape: S
  /** The select list of `shape`. */
  list?: string
  /** Join clauses, from `work` with the subject's `id`; for `dueInRows`, from the table. Each joined table names `merchant_id = $merchantId`. */
  joins?: string
}

/** Claims in different merchants side by side; each waits for its own commit. */
const CLAIMS_AT_ONCE = 4

/** Until when a row taken now is held. Also for rows that a request takes for itself when it writes them. */
export function leaseEnd({ leaseSeconds }: Pick<WorkDeps, 'leaseSeconds'>, at: Date): Date {
  return addSeconds(at, leaseSeconds)
}

/** Declares the due work of a kind, and what a claim of it reads. `feature` names the statements. */
export function dueWork<S extends Shape>(feature: string, kind: WorkKind, row: WorkRow<S>): OpenWork<Claim & RowOf<S>> {
  const place = { table: 'open_work', due: 'due_at', of: `kind = '${kind}' and `, as: 'work' }
  const finish = execute(`${feature}.finish_work`, `delete from open_work where ${workOf(kind, '$id')} and ${IS_HELD}`)
  return {
    ...declareWork(feature, place, row),
    finish: async (on, { merchantId, id, leaseFence }) => (await finish(on, { merchantId, id, leaseFence })) === 1,
  }
}

/**
 * The same of work that is in the rows of the table `feature`: `work_due_at` and `attempts` are null while there is none. What is read is a part
 * of these rows.
 */
export function dueInRows<S extends Shape>(feature: string, row: WorkRow<S>): DueWork<Claim & RowOf<S>> {
  return declareWork(feature, { table: feature, due: 'work_due_at', of: '', as: feature }, row)
}

function declareWork<S extends Shape>(feature: string, place: Place, row: WorkRow<S>): DueWork<Claim & RowOf<S>> {
  const { table, due, of } = place
  const source: DueRows = { name: feature, table, due, where: of + LISTED, isLeased: true }
  const find = declareFind(source)
  const claimInside = declareClaim(feature, place, row)
  const claimOne = declareClaimOne(feature, place, row)
  // What the last question saw and no claim has taken yet. A hint: the claim looks again.
  const seen = new WeakMap<Pool, DueMerchants>()
  async function claimBy<Taken>(deps: WorkDeps, limit: number, take: Take<Taken>): Promise<Claimed<Taken>> {
    const known = seen.get(deps.pool)
    if (known !== undefined && known.size > 0) {
      const rows = await takeAll(takeShares(known, limit), take)
      // Other workers took what was left: ask again.
      return rows.length > 0 ? { rows, nextDueAt: null } : claimBy(deps, limit, take)
    }
    const { merchants, nextDueAt } = await find(deps, limit)
    seen.set(deps.pool, merchants)
    return { rows: await takeAll(takeShares(merchants, limit), take), nextDueAt }
  }
  const claim = (deps: WorkDeps, limit: number) =>
    claimBy(deps, limit, (merchantId, share) => claimInside(deps, merchantId, share))
  releases.push(declareRelease(source, place))
  return { claim, claimBy, claimOne, ...declareGivingBack(feature, place, row.job) }
}

const releases: ((deps: Pick<WorkDeps, 'pool' | 'clock'>) => Promise<void>)[] = []

/**
 * Ends every lease. Call it only where no other process holds one: the home lock of an embedded database proves that the process
 * before is dead, and on a shared one no other is there (`whenAlone`). So no process need wait for leases of the dead.
 */
export async function releaseLeases(deps: Pick<WorkDeps, 'pool' | 'clock'>): Promise<void> {
  await Promise.all(releases.map((release) => release(deps)))
}

/** Each merchant in a statement of its own. What was claimed is returned also when a later claim fails. */
async function takeAll<Row>(shares: [string, number][], take: Take<Row>): Promise<Row[]> {
  const rows: Row[] = []
  for (let start = 0; start < shares.length; start += CLAIMS_AT_ONCE) {
    const group = shares.slice(start, start + CLAIMS_AT_ONCE)
    const results = await Promise.allSettled(group.map(([merchantId, share]) => take(merchantId, share)))
    for (const result of results) if (result.status === 'fulfilled') rows.push(...result.value)
    const failed = results.find((result) => result.status === 'rejected')
    if (failed === undefined) continue
    // The rows in hand are leased: thrown away, they would rest until the leases end.
    if (rows.length > 0) return rows
    throw failed.reason
  }
  return rows
}

const CLAIM = { merchantId: text, id: text, leaseFence: bigint, attempts: int }
const CLAIMED = `${LEASED}, attempts = attempts + 1` as const

/** The end of a claim: what it returns of the rows that it has taken. */
function taken<S extends Shape>({ as }: Place, { list = '', joins = '' }: WorkRow<S>): string {
  return `select ${[columns(CLAIM, as), list].filter((part) => part !== '').join(', ')} from ${as} ${joins}`
}

function declareClaim<S extends Shape>(feature: string, place: Place, row: WorkRow<S>) {
  const { table, due, of, as } = place
  const claimDue = many(
    `${feature}.claim_due`,
    // Rows that another worker is claiming are skipped. An array, because it is made once, and the rows are then found by
    // key: joined, the plan may read all rows of the merchant, or run the subquery again and claim more than the limit.
    // The >= changes no result; it makes the planner prefer the index inside the merchant to walking the due rows of
    // all merchants in order.
    `with ${as} as (
       update ${table} set ${CLAIMED}
       where merchant_id = $merchantId and ${of}id = any (array(
         select id from ${table}
         where merchant_id = $merchantId and merchant_id >= $merchantId and ${of}${LISTED_INSIDE} and ${due} <= $at
           and ${FREE}
         order by ${due} limit $limit for update skip locked))
       returning *
     )
     ${taken(place, row)}`,
    { ...CLAIM, ...row.shape },
  )
  const declaration = { name: `${feature}.claim_due`, silent: 'work' } as const
  return async (deps: WorkDeps, merchantId: string, limit: number) => {
    const rows = await single(deps, declaration, ({ on, at }) => {
      return claimDue(on, { merchantId, at, leaseBound: leaseBound(at), leaseUntil: leaseEnd(deps, at), limit })
    })
    return rows as (Claim & RowOf<S>)[]
  }
}

function declareClaimOne<S extends Shape>(feature: string, place: Place, row: WorkRow<S>) {
  const { table, due, of, as } = place
  const claimOne = one(
    `${feature}.claim_one`,
    `with ${as} as (
       update ${table} set ${CLAIMED}
       where merchant_id = $merchantId and ${of}id = (
         select id from ${table} where merchant_id = $merchantId and ${of}id = $id and ${due} <= $at and ${FREE} for update skip locked)
       returning *
     )
     ${taken(place, row)}`,
    { ...CLAIM, ...row.shape },
  )
  return async (on: Queryable, { merchantId, id }: { merchantId: string; id: string }, { at, leaseUntil }: Lease) =>
    (await claimOne(on, { merchantId, id, at, leaseBound: leaseBound(at), leaseUntil })) as
      | (Claim & RowOf<S>)
      | undefined
}

function declareRelease(source: DueRows, { table, due, of }: Place) {
  const { name } = source
  const findHeld = declareFindHeld(source)
  const release = execute(
    `${name}.release`,
    `update ${table} set lease_until = null
     where merchant_id = $merchantId and merchant_id >= $merchantId and ${of}${LISTED_INSIDE} and ${due} <= $at
       and lease_until is not null`,
  )
  const declaration = { name: `${name}.release`, silent: 'work' } as const
  return async (deps: Pick<WorkDeps, 'pool' | 'clock'>): Promise<void> => {
    for (const { merchantId } of await findHeld(deps.pool, { at: deps.clock.now() })) {
      await single(deps, declaration, ({ on, at }) => release(on, { merchantId, at }))
    }
  }
}

function declareGivingBack(
  feature: string,
  { table, due, of }: Place,
  job: string | undefined,
): Pick<DueWork<Claim>, 'extend' | 'postpone'> {
  const held = `where merchant_id = $merchantId and ${of}id = $id and ${IS_HELD}` as const
  const extend = execute(`${feature}.extend`, `update ${table} set lease_until = $leaseUntil ${held}`)
  const postpone = execute(`${feature}.postpone`, `update ${table} set ${due} = $retryAt, lease_until = null ${held}`)
  return {
    extend: async (on, { merchantId, id, leaseFence }, leaseUntil) =>
      (await extend(on, { merchantId, id, leaseFence, leaseUntil })) === 1,
    postpone: async (on, { merchantId, id, leaseFence }, retryAt) => {
      if (job !== undefined) wake(on, job)
      return (await postpone(on, { merchantId, id, leaseFence, retryAt })) === 1
    },
  }
}
