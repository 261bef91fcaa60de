import type { Pool } from 'pg'
import { command } from '../db/command.ts'
import { later } from '../db/pipeline.ts'
import { bigint, columns, int, type RowOf, type Shape, text } from '../db/row.ts'
import { many, one, type Queryable } from '../db/statement.ts'
import { addSeconds, type Clock } from '../platform/clock.ts'
import { FREE, leaseBound } from './due.ts'

// The second step of a claim: rows are locked and leased by a statement inside each merchant.

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
  /**
   * Raised by every claim. What the holder writes must carry it, so that a holder who lost the lease writes nothing.
   */
  leaseFence: bigint
  /** How often the row was claimed, this time included. */
  attempts: number
}

export interface Lease {
  at: Date
  leaseUntil: Date
}

/** A table that has the columns of work beside others, and what of it is work. */
export interface WorkPlace {
  table: string
  /** The column that says when a row is due. */
  due: string
  /** Which rows are open work. Both indexes over `due`, for all merchants and inside one, are narrowed by it. */
  where: string
  /** Which of them, when they are due, have something to do; by default all. */
  ready?: string
  /** What a row of a known id has if it is this work. */
  key: string
  /** The beginning of the statement that ends a row's work; a WHERE follows. */
  end: string
}

/** Which loop takes the rows, and what a claimed one holds besides the claim: read from the subject. */
export interface WorkRow<S extends Shape> {
  /**
   * The loop that is woken when a row is given back: it may be at rest for longer. Without it, whoever gives it back
   * does that.
   */
  job?: string
  shape: S
  /** The select list of `shape`. */
  list?: string
  /** Join clauses, from `work` with the subject's `id`. Each joined table names `merchant_id = $merchantId`. */
  joins?: string
  /** How a claimed row is called in `list` and `joins`. */
  as?: string
}

/**
 * Merchants whose rows are claimed in one transaction, by a statement each. A commit each would be most of the work
 * where many merchants have a row or two.
 */
const MAX_TOGETHER = 25
/** Transactions side by side; each waits for its own commit. */
const AT_ONCE = 4

/** Until when a row taken now is held. Also for rows that a request takes for itself when it writes them. */
export function leaseEnd({ leaseSeconds }: Pick<WorkDeps, 'leaseSeconds'>, at: Date): Date {
  return addSeconds(at, leaseSeconds)
}

/** How many rows of a merchant a claim takes. */
export type Share = [merchantId: string, limit: number]

/** Some at a time. What was taken is returned also when something after it fails. */
export async function takeAll<Part, Row>(parts: readonly Part[], take: (part: Part) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for (let start = 0; start < parts.length; start += AT_ONCE) {
    const results = await Promise.allSettled(parts.slice(start, start + AT_ONCE).map(take))
    for (const result of results) if (result.status === 'fulfilled') rows.push(...result.value)
    const failed = results.find((result) => result.status === 'rejected')
    if (failed === undefined) continue
    // The rows in hand are leased: thrown away, they would rest until the leases end.
    if (rows.length > 0) return rows
    throw failed.reason
  }
  return rows
}

function groupsOf(shares: readonly Share[]): Share[][] {
  const size = Math.min(MAX_TOGETHER, shares.length)
  return Array.from({ length: Math.ceil(shares.length / size) || 0 }, (_, place) =>
    shares.slice(place * size, (place + 1) * size),
  )
}

const CLAIM = { merchantId: text, id: text, leaseFence: bigint, attempts: int }

/** A SELECT of what was claimed. */
const claimed = <S extends Shape>({ list = '', joins = '', as = 'work' }: WorkRow<S>) =>
  `select ${[columns(CLAIM, as), list].filter((part) => part !== '').join(', ')} from work ${as === 'work' ? '' : as} ${joins}`

const TAKE = 'lease_until = $leaseUntil, lease_fence = lease_fence + 1, attempts = attempts + 1'

export function declareClaim<S extends Shape>(
  feature: string,
  { table, due, where, ready = 'true', key }: WorkPlace,
  row: WorkRow<S>,
) {
  const claimDue = many(
    `${feature}.claim_due`,
    // Rows that another worker is claiming are skipped. An array, because it is made once, and the rows are then found
    // by key: joined, the plan may read all rows of the merchant, or run the subquery again and claim more than the
    // limit. The >= changes no result; it makes the planner prefer the index inside the merchant to walking the due
    // rows of all merchants in order.
    `with work as (
       update ${table} set ${TAKE}
       where merchant_id = $merchantId and ${key} and id = any (array(
         select id from ${table}
         where merchant_id = $merchantId and merchant_id >= $merchantId and ${where} and ${due} <= $at
           and ${FREE} and ${ready}
         order by ${due} limit $limit for update skip locked))
       returning *
     )
     ${claimed(row)}`,
    { ...CLAIM, ...row.shape },
  )
  const declaration = { name: `${feature}.claim_due`, why: 'A lease is not a change that anyone sees.' }
  type Claims = Promise<(Claim & RowOf<S>)[]>
  const inside = (deps: WorkDeps, on: Queryable, at: Date, [merchantId, limit]: Share) =>
    claimDue(on, { merchantId, at, leaseBound: leaseBound(at), leaseUntil: leaseEnd(deps, at), limit }) as Claims
  const alone = (deps: WorkDeps, share: Share): Claims =>
    command(deps, { ...declaration, together: 'statement' }, ({ on, at }) => inside(deps, on, at, share))
  const together = async (deps: WorkDeps, shares: Share[]): Claims => {
    // One wait: they go to the database with their COMMIT.
    const sent = await command(deps, { ...declaration, together: 'pipeline' }, async ({ tx, at }) =>
      shares.map((share) => later(tx, () => inside(deps, tx, at, share))),
    )
    return (await Promise.all(sent ?? [])).flat()
  }
  // What cannot be claimed in one merchant holds up no other: each is claimed by itself then.
  const claimGroup = async (deps: WorkDeps, shares: Share[]): Claims => {
    const [first, ...others] = shares
    if (first === undefined) return []
    if (others.length === 0) return alone(deps, first)
    return together(deps, shares).catch(() => takeAll(shares, (share) => alone(deps, share)))
  }
  return (deps: WorkDeps, shares: Share[]): Claims => takeAll(groupsOf(shares), (group) => claimGroup(deps, group))
}

export function declareClaimOne<S extends Shape>(
  feature: string,
  { table, due, ready = 'true', key }: WorkPlace,
  row: WorkRow<S>,
) {
  const claimOne = one(
    `${feature}.claim_one`,
    `with work as (
       update ${table} set ${TAKE}
       where merchant_id = $merchantId and ${key} and id = (
         select id from ${table} where merchant_id = $merchantId and ${key} and id = $id and ${due} <= $at
           and ${FREE} and ${ready} for update skip locked)
       returning *
     )
     ${claimed(row)}`,
    { ...CLAIM, ...row.shape },
  )
  return async (on: Queryable, { merchantId, id }: { merchantId: string; id: string }, { at, leaseUntil }: Lease) =>
    (await claimOne(on, { merchantId, id, at, leaseBound: leaseBound(at), leaseUntil })) as
      | (Claim & RowOf<S>)
      | undefined
}
