// Parts of statements that must be one round trip with something else: work is opened, changed and closed together with
// what causes it, so a row of `open_work` exists exactly while there is something to do. Charges have theirs in their own rows
// (`charges/work-fragments.ts`).
//
// Locks are taken in the order mandate, work of the mandate, work of the purchase, charge, purchase.

/** What can have open work. */
export const WORK_KINDS = ['mandate', 'card', 'deletion', 'token', 'endpoint', 'mail', 'purchase'] as const
export type WorkKind = (typeof WORK_KINDS)[number]

/**
 * True of all open work, and said by lists of due work alone. The indexes over due times are narrowed by it: otherwise a plan that was made while
 * there was little work finds one row by reading all work of its merchant, which looked no dearer than the key then.
 */
export const LISTED = 'attempts >= 0'
/**
 * The same, said by lists inside one merchant. It leaves them the index inside the merchant alone: where the rows of a table are in the order
 * in which they fall due, that over all merchants looks cheaper, and leads through everybody's backlog.
 */
export const LISTED_INSIDE = 'attempts > -1'

/**
 * The caller's claim still holds it. A result ends the lease: without the second part a holder whose result was committed, but whose
 * connection broke before it knew, would overwrite the time of what is due next.
 */
export const IS_HELD = 'lease_fence = $leaseFence and lease_until is not null' as const
/** What an UPDATE sets that takes it, as its only holder. */
export const LEASED = 'lease_until = $leaseUntil, lease_fence = lease_fence + 1' as const

/** The key of a subject's work; `id` is SQL. */
export function workOf<const Kind extends WorkKind, const Id extends string>(kind: Kind, id: Id) {
  return `merchant_id = $merchantId and kind = '${kind}' and id = ${id}` as const
}

/**
 * The beginning of an INSERT of work; a FROM may follow, and what is done about work that is open already. All but `kind` is SQL: the subject's
 * id, when it is due, how often it was tried, and until when the caller holds it (null: it is not held).
 */
export function insertWork<
  const Kind extends WorkKind,
  const Id extends string,
  const Due extends string,
  const Attempts extends string,
  const Lease extends string,
>(kind: Kind, id: Id, due: Due, attempts: Attempts, lease: Lease) {
  return `insert into open_work (merchant_id, kind, id, due_at, attempts, lease_until, lease_fence)
     select $merchantId, '${kind}', ${id}, ${due}, ${attempts}, ${lease}, (random() * 1125899906842624)::bigint` as const
}

/** Work that is open already is due anew at once, and its new holder is the only one. */
export const HELD_ANEW =
  `on conflict (merchant_id, kind, id) do update set due_at = excluded.due_at, lease_until = excluded.lease_until,
     lease_fence = open_work.lease_fence + 1, attempts = 1` as const
/** Work that is open already becomes due earlier, if it is to be; its holder keeps it. */
export const DUE_EARLIER =
  'on conflict (merchant_id, kind, id) do update set due_at = least(open_work.due_at, excluded.due_at)' as const
/** The same, and its holder writes nothing any more. */
export const DUE_EARLIER_AND_FREE = `${DUE_EARLIER}, lease_until = null,
       lease_fence = open_work.lease_fence + 1` as const
/** An INSERT of work by itself, as `insertWork` does it. */
export const insertWorkValues = <const Kind extends WorkKind, const Id extends string, const Due extends string>(
  kind: Kind,
  id: Id,
  due: Due,
) =>
  `insert into open_work (merchant_id, kind, id, due_at, attempts, lease_until, lease_fence)
   values ($merchantId, '${kind}', ${id}, ${due}, 0, null, (random() * 1125899906842624)::bigint)` as const

/** Work that is open already is taken, unless another process holds it; a lease beyond `$leaseBound` is none: a clock was set back. */
export const TAKEN_IF_FREE = `on conflict (merchant_id, kind, id) do update set lease_until = excluded.lease_until,
     lease_fence = open_work.lease_fence + 1, attempts = open_work.attempts + 1
    where open_work.lease_until is null or open_work.lease_until <= $at or open_work.lease_until > $leaseBound` as const

/**
 * An INSERT that opens work on the subject whose `id` a CTE returns, if it returns one. Work that is open already is due anew, and who holds
 * it writes nothing.
 *
 * Work may be closed and opened again. A fence must not come back then: one who held the earlier work would pass for the
 * holder of the new. So it begins with a random number of 50 bits, and each claim adds one.
 */
export function openWork<const Kind extends WorkKind, const Cte extends string, const Due extends string>(
  kind: Kind,
  cte: Cte,
  due: Due,
) {
  return `${insertWork(kind, `${cte}.id` as const, due, '0', 'null')}
     from ${cte}
     on conflict (merchant_id, kind, id) do update set due_at = excluded.due_at, attempts = 0, lease_until = null,
       lease_fence = open_work.lease_fence + 1` as const
}

/** A DELETE of the work on the subject whose `id` a CTE returns, if it returns one: nothing is left to do. */
export function closeWork<const Kind extends WorkKind, const Cte extends string>(kind: Kind, cte: Cte) {
  return closeWorkOf(kind, `(select id from ${cte})` as const)
}

/** The same of the subject whose id is `id`, SQL. */
export function closeWorkOf<const Kind extends WorkKind, const Id extends string>(kind: Kind, id: Id) {
  return `delete from open_work where ${workOf(kind, id)}` as const
}

/** An UPDATE that makes work due at another time, whoever holds it. `id` and `due` are SQL, here as below. */
export function dueWorkAt<const Kind extends WorkKind, const Id extends string, const Due extends string>(
  kind: Kind,
  id: Id,
  due: Due,
) {
  return `update open_work set due_at = ${due} where ${workOf(kind, id)}` as const
}

/** The same of several subjects, whose ids are the SQL array `ids`. */
export function dueWorksAt<const Kind extends WorkKind, const Ids extends string, const Due extends string>(
  kind: Kind,
  ids: Ids,
  due: Due,
) {
  return `update open_work set due_at = ${due} where merchant_id = $merchantId and kind = '${kind}' and id = any (${ids})` as const
}

/** An UPDATE that gives work back until `due`, with the tries that were counted. */
export function giveBackWork<const Kind extends WorkKind, const Id extends string, const Due extends string>(
  kind: Kind,
  id: Id,
  due: Due,
) {
  return `update open_work set due_at = ${due}, lease_until = null where ${workOf(kind, id)}` as const
}

/** An UPDATE that gives work back until `due`, for what is to be done next: its tries count from the beginning. */
export function putOffWork<const Kind extends WorkKind, const Id extends string, const Due extends string>(
  kind: Kind,
  id: Id,
  due: Due,
) {
  return `update open_work set due_at = ${due}, lease_until = null, attempts = 0 where ${workOf(kind, id)}` as const
}

/** The same at once, and who has it in hand writes nothing any more. */
export function handOnWork<const Kind extends WorkKind, const Id extends string>(kind: Kind, id: Id) {
  return `update open_work set due_at = $at, lease_until = null, lease_fence = lease_fence + 1, attempts = 0
   where ${workOf(kind, id)}` as const
}

/** An UPDATE by the process that holds the work and goes on with what is next: the first try of that has begun. */
export function goOnWithWork<const Kind extends WorkKind, const Id extends string>(kind: Kind, id: Id) {
  return `update open_work set due_at = $at, attempts = 1 where ${workOf(kind, id)}` as const
}
