import type { Pool } from 'pg'
import { command } from '../db/command.ts'
import type { RowOf, Shape } from '../db/row.ts'
import { execute, type Queryable } from '../db/statement.ts'
import {
  type Claim,
  declareClaim,
  declareClaimOne,
  type Lease,
  type Share,
  takeAll,
  type WorkDeps,
  type WorkPlace,
  type WorkRow,
} from './claim.ts'
import { type DueMerchants, type DueRows, declareFind, declareFindHeld, leaseBound, takeShares } from './due.ts'
import { LISTED, type WorkKind } from './fragments.ts'
import { wake } from './wake.ts'

// Work is a row of `open_work`, which exists exactly while there is something to do, or a row of its subject with the
// same columns, which has a time while there is. It is claimed in two steps: a question without locks over all
// merchants says which have due rows (`due.ts`), then rows are locked and leased inside each merchant (`claim.ts`). One
// locking statement over all merchants would cost more while idle, would let one merchant's backlog delay the others,
// and cannot run on a database that is distributed by merchant.

export { type Claim, leaseEnd, type WorkDeps } from './claim.ts'
export { WORK_KINDS } from './fragments.ts'

export interface Claimed<Row> {
  rows: Row[]
  /** When the next row falls due; null when that is unknown. */
  nextDueAt: Date | null
}

/** The due work of one kind. */
export interface DueWork<Row extends Claim> {
  /** Leases at most `limit` due rows, shared fairly among the merchants that have any. */
  claim(deps: WorkDeps, limit: number): Promise<Claimed<Row>>
  /**
   * The same, where the feature itself takes what is due of a merchant: `take` returns at most `share` of what it took.
   */
  claimBy<Taken>(deps: WorkDeps, limit: number, take: Take<Taken>): Promise<Claimed<Taken>>
  /**
   * Leases one due row, in the transaction of the caller. Undefined: it is not due any more, or another holder has it.
   */
  claimOne(on: Queryable, row: { merchantId: string; id: string }, lease: Lease): Promise<Row | undefined>
  /** Holds the row longer. False when the lease went to another holder, or the work is over. */
  extend(on: Queryable, claim: Claim, leaseUntil: Date): Promise<boolean>
  /** Gives the row back until `retryAt`. False when the lease went to another holder, or the work is over. */
  postpone(on: Queryable, claim: Claim, retryAt: Date): Promise<boolean>
  /** Nothing is left to do. False when the lease went to another holder, or the work is over. */
  finish(on: Queryable, claim: Claim): Promise<boolean>
}

type Take<Taken> = (merchantId: string, share: number) => Promise<Taken[]>

const inOpenWork = (kind: WorkKind): WorkPlace => ({
  table: 'open_work',
  due: 'due_at',
  where: `kind = '${kind}' and ${LISTED}`,
  key: `kind = '${kind}'`,
  end: 'delete from open_work',
})

/**
 * Declares the due work of a kind, or of a table that has it in its own rows, and what a claim of it reads. `feature`
 * names the statements.
 */
export function dueWork<S extends Shape>(
  feature: string,
  kind: WorkKind | WorkPlace,
  row: WorkRow<S>,
): DueWork<Claim & RowOf<S>> {
  const place = typeof kind === 'string' ? inOpenWork(kind) : kind
  const source: DueRows = { name: feature, isLeased: true, ...place }
  const find = declareFind(source)
  const claimShares = declareClaim(feature, place, row)
  const claimOne = declareClaimOne(feature, place, row)
  // What the last question saw and no claim has taken yet. A hint: the claim looks again.
  const seen = new WeakMap<Pool, DueMerchants>()
  async function claimFrom<Taken>(
    deps: WorkDeps,
    limit: number,
    take: (shares: Share[]) => Promise<Taken[]>,
  ): Promise<Claimed<Taken>> {
    const known = seen.get(deps.pool)
    if (known !== undefined && known.size > 0) {
      const rows = await take(takeShares(known, limit))
      // Other workers took what was left: ask again.
      return rows.length > 0 ? { rows, nextDueAt: null } : claimFrom(deps, limit, take)
    }
    const { merchants, nextDueAt } = await find(deps, limit)
    seen.set(deps.pool, merchants)
    return { rows: await take(takeShares(merchants, limit)), nextDueAt }
  }
  const claim = (deps: WorkDeps, limit: number) => claimFrom(deps, limit, (shares) => claimShares(deps, shares))
  function claimBy<Taken>(deps: WorkDeps, limit: number, take: Take<Taken>) {
    return claimFrom(deps, limit, (shares) => takeAll(shares, ([merchantId, share]) => take(merchantId, share)))
  }
  releases.push(declareRelease(source))
  return { claim, claimBy, claimOne, ...declareEnds(feature, place, row.job) }
}

const releases: ((deps: Pick<WorkDeps, 'pool' | 'clock'>) => Promise<void>)[] = []

/**
 * Ends every lease. Call it only where no other process holds one: the home lock of an embedded database proves that
 * the process before is dead, and on a shared one no other process is there (`whenAlone`). So no worker need wait for
 * leases of the dead.
 */
export async function releaseLeases(deps: Pick<WorkDeps, 'pool' | 'clock'>): Promise<void> {
  await Promise.all(releases.map((release) => release(deps)))
}

function declareRelease(source: DueRows) {
  const findHeld = declareFindHeld(source)
  const release = execute(
    `${source.name}.release`,
    `update ${source.table} set lease_until = null, ${source.due} = least(${source.due}, $at)
     where merchant_id = $merchantId and merchant_id >= $merchantId and ${source.where} and ${source.due} <= $leaseBound
       and lease_until is not null`,
  )
  const declaration = {
    name: `${source.name}.release`,
    why: 'A lease is not a change that anyone sees.',
    together: 'statement',
  } as const
  return async (deps: Pick<WorkDeps, 'pool' | 'clock'>): Promise<void> => {
    for (const { merchantId } of await findHeld(deps.pool, { leaseBound: leaseBound(deps.clock.now()) })) {
      await command(deps, declaration, ({ on, at }) => release(on, { merchantId, at, leaseBound: leaseBound(at) }))
    }
  }
}

function declareEnds(
  feature: string,
  { table, due, key, end }: WorkPlace,
  job: string | undefined,
): Pick<DueWork<Claim>, 'extend' | 'postpone' | 'finish'> {
  // A result ends the lease. Without this check a holder whose result was committed, but whose connection broke before
  // it knew, would overwrite the time of what is due next.
  const held =
    `merchant_id = $merchantId and ${key} and id = $id and lease_fence = $leaseFence and lease_until is not null` as const
  const extend = execute(`${feature}.extend`, `update ${table} set lease_until = $leaseUntil where ${held}`)
  const postpone = execute(
    `${feature}.postpone`,
    `update ${table} set ${due} = $retryAt, lease_until = null where ${held}`,
  )
  const finish = execute(`${feature}.finish_work`, `${end} where ${held}`)
  return {
    extend: async (on, { merchantId, id, leaseFence }, leaseUntil) =>
      (await extend(on, { merchantId, id, leaseFence, leaseUntil })) === 1,
    postpone: async (on, { merchantId, id, leaseFence }, retryAt) => {
      if (job !== undefined) wake(on, job)
      return (await postpone(on, { merchantId, id, leaseFence, retryAt })) === 1
    },
    finish: async (on, { merchantId, id, leaseFence }) => (await finish(on, { merchantId, id, leaseFence })) === 1,
  }
}
