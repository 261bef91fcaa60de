// Parts of statements that must be one round trip with something else: work is opened, changed and closed together with
// what causes it, so a row of `open_work` exists exactly while there is something to do.
//
// Locks are taken in the order mandate, work of the mandate, work of the charge or purchase, charge, purchase.

/** What can have open work. */
export const WORK_KINDS = ['charge', 'mandate', 'card', 'deletion', 'token', 'endpoint', 'mail', 'purchase'] as const
export type WorkKind = (typeof WORK_KINDS)[number]

/**
 * Always true, and said by lists of due work alone. The indexes over due times are narrowed by it: otherwise a plan that was made while
 * there was little work finds one row by reading all work of its merchant, which looked no dearer than the key then.
 */
export const LISTED = 'attempts >= 0'

/** The key of a subject's work; `id` is SQL. */
export function workOf<const Kind extends WorkKind, const Id extends string>(kind: Kind, id: Id) {
  return `merchant_id = $merchantId and kind = '${kind}' and id = ${id}` as const
}

/**
 * An INSERT that opens work on the subject whose `id` a CTE returns, if it returns one; `lease` is SQL: null, or until when
 * the caller holds it. Work that is open already is due anew, and who holds it writes nothing.
 *
 * Work may be closed and opened again. A fence must not come back then: one who held the earlier work would pass for the
 * holder of the new. So it begins with a random number of 50 bits, and each claim adds one.
 */
export function openWork<
  const Kind extends WorkKind,
  const Cte extends string,
  const Due extends string,
  const Lease extends string = 'null',
>(kind: Kind, cte: Cte, due: Due, lease: Lease = 'null' as Lease) {
  return `insert into open_work (merchant_id, kind, id, due_at, attempts, lease_until, lease_fence)
     select $merchantId, '${kind}', ${cte}.id, ${due}, case when ${lease}::timestamptz is null then 0 else 1 end,
       ${lease}::timestamptz, (random() * 1125899906842624)::bigint
     from ${cte}
     on conflict (merchant_id, kind, id) do update set due_at = excluded.due_at, attempts = excluded.attempts,
       lease_until = excluded.lease_until, lease_fence = open_work.lease_fence + 1` as const
}

/** A DELETE of the work on the subject whose `id` a CTE returns, if it returns one: nothing is left to do. */
export function closeWork<const Kind extends WorkKind, const Cte extends string>(kind: Kind, cte: Cte) {
  return `delete from open_work where ${workOf(kind, `(select id from ${cte})` as const)}` as const
}
