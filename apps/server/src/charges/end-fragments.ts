import { text } from '../db/row.ts'
import { workOf } from '../jobs/fragments.ts'
import { originList } from '../platform/states.ts'
import { ACTIVATED } from './mandate-fragments.ts'
import { CHARGE_TRANSITIONS } from './states.ts'

// Parts of the statements by which the holder of a charge records what the network said.

/** What a statement returns that captured its event: the resource, or no row where nothing changed. */
export const CAPTURED = { resourceId: text }

const IS_HELD = 'lease_fence = $leaseFence and lease_until is not null' as const
const IN_HAND = 'merchant_id = $merchantId and id = $id and version = $version' as const

/**
 * How the charge is found that a worker has in hand: as it was read, for only its holder may change it, so its next
 * version is known. No row: the lease was lost.
 */
export const HELD_CHARGE = `${IN_HAND} and ${IS_HELD}` as const
/** The same after `LOCK_MANDATE`: the condition is looked at before the charge is locked. */
export const HELD_AFTER_MANDATE = `${HELD_CHARGE} and exists (select 1 from mandate)` as const
/** The same where the work is that of a purchase, which drives its charge: after `LOCK_PURCHASE`. */
export const HELD_BY_PURCHASE = `${IN_HAND} and exists (select 1 from held)` as const
type Held = typeof HELD_CHARGE | typeof HELD_AFTER_MANDATE | typeof HELD_BY_PURCHASE

/** CTE `held`: locks the work of the caller's purchase, before its charge. No row: the lease was lost. */
export const LOCK_PURCHASE = `held as materialized (
     select id from open_work where ${workOf('purchase', '$id')} and ${IS_HELD} for update
   )` as const

/** Nothing is left to do. Whoever had the charge in hand writes nothing any more. */
const WORK_ENDS = 'work_due_at = null, lease_until = null' as const
/** What a charge that fails holds no more, beside its work: its reference names it, and may name another one. */
export const FAILED = `status = 'failed', holds_reference = false, ${WORK_ENDS}` as const

/** The network has told that it was paid, and no merchant has reported it. A later report finds it so. */
export const PAID_AS_OBSERVED =
  `status = 'completed', reported_outcome = 'APPROVED', network_confirmation = 'SUCCESS', credential_sealed = null,
       credential_key_id = null, ${WORK_ENDS}` as const

/**
 * What a charge that comes to nothing counted for: a subquery sees rows as they were before the UPDATE whose RETURNING
 * it is in. The version of the row is in the condition of each of those, so it was as it was read.
 */
export const COUNTED_BEFORE = `(
       select coalesce(was.counted_minor, was.amount_minor) from charges was
       where was.merchant_id = $merchantId and was.id = $id) as amount_minor` as const

/**
 * CTE `changed`: the network minted. When the work is due stays as it was, and so in no index anything changes; a
 * charge that only waits for its report then is put off until its credential lapses (`charges.put_off_waiting`).
 */
export const minted = <const By extends Held, const Also extends string>(by: By, also: Also) =>
  `changed as (
     update charges set status = 'awaiting_result', credential_sealed = $sealed, credential_key_id = $keyId,
       lapses_at = $lapsesAt, work_due_at = least(work_due_at, $lapsesAt), lease_until = null, attempts = 0,
       version = version + 1, updated_at = $at${also}
     where ${by} and status in (${originList(CHARGE_TRANSITIONS, 'awaiting_result')})
     returning id
   )` as const

/**
 * CTE `changed`: the network minted for a purchase, which is what knows of it: no event tells of a credential that
 * no merchant gets.
 */
export const MINTED_FOR_PURCHASE = `changed as (
     update charges set status = 'awaiting_result', credential_sealed = $sealed, credential_key_id = $keyId,
       lapses_at = $lapsesAt, updated_at = $at${ACTIVATED}
     where ${HELD_BY_PURCHASE} and status in (${originList(CHARGE_TRANSITIONS, 'awaiting_result')})
     returning id
   )` as const

/** The origins of a charge that fails; `from` narrows them where it ends. */
const FAILS = (from: 'minting' | 'awaiting_result') =>
  `status in (${originList(CHARGE_TRANSITIONS, 'failed', [from])})` as const

/**
 * CTE `changed`: the network refused to mint; `counted` is SQL: what it counts for all the same, or null. `also`, here
 * as in the others: what becomes of the mandate in the same row, or nothing.
 */
export const refused = <
  const By extends Held,
  const Returning extends string,
  const Counted extends string = 'null',
  const Also extends string = '',
>(
  by: By,
  returning: Returning,
  counted: Counted = 'null' as Counted,
  also: Also = '' as Also,
) =>
  `changed as (
     update charges set ${FAILED}, counted_minor = ${counted}, failure_code = $failure, version = version + 1, updated_at = $at${also}
     where ${by} and ${FAILS('minting')}
     returning ${returning}
   )` as const

/** CTE `changed`: the network knows that it was declined; `failure` is SQL. */
export const declined = <
  const By extends Held,
  const Returning extends string,
  const Failure extends string = "'PAYMENT_DECLINED'",
  const Also extends string = '',
>(
  by: By,
  returning: Returning,
  failure: Failure = "'PAYMENT_DECLINED'" as Failure,
  also: Also = '' as Also,
) =>
  `changed as (
     update charges set ${FAILED}, counted_minor = null, failure_code = ${failure}, network_confirmation = $confirmation,
       version = version + 1, updated_at = $at${also}
     where ${by} and ${FAILS('awaiting_result')}
     returning ${returning}
   )` as const

/** CTE `changed`: the network knows that it was paid. */
export const paid = <const By extends Held, const Also extends string>(by: By, also: Also) =>
  `changed as (
     update charges set status = 'completed', network_confirmation = $confirmation, ${WORK_ENDS},
       version = version + 1, updated_at = $at${also}
     where ${by} and status in (${originList(CHARGE_TRANSITIONS, 'completed')})
     returning id, agent_id, customer_id
   )` as const

/** CTE `changed`: the time of a charge is over without a payment; `failure` and `condition` are SQL. */
export const ranOut = <
  const By extends string,
  const Failure extends string,
  const Condition extends string,
  const Returning extends string,
  const Also extends string = '',
>(
  by: By,
  failure: Failure,
  condition: Condition,
  returning: Returning,
  also: Also = '' as Also,
) =>
  `changed as (
     update charges set ${FAILED}, counted_minor = null, failure_code = '${failure}', credential_sealed = null,
       credential_key_id = null, version = version + 1, updated_at = $at${also}
     where ${by} and reported_outcome is null and ${condition} and ${FAILS('awaiting_result')}
     returning ${returning}
   )` as const

/**
 * CTE `changed`: what became of a payment that the service itself made, where that was not recorded before. The
 * credential is erased: it has been used, or never will be.
 */
export const outcomeOfPurchase = <
  const Outcome extends string,
  const Paid extends string,
  const Condition extends string,
>(
  outcome: Outcome,
  paid: Paid,
  condition: Condition,
) =>
  `changed as (
     update charges set reported_outcome = '${outcome}', reported_type = 'PURCHASE', ${paid} reported_at = $at,
       credential_sealed = null, credential_key_id = null, updated_at = $at
     where merchant_id = $merchantId and id = $id and status = 'awaiting_result' and reported_outcome is null
       and ${condition}
     returning id
   )` as const

/** An UPDATE: a credential whose time is over is erased. */
export const ERASE_LAPSED = `update charges set credential_sealed = null, credential_key_id = null
   where merchant_id = $merchantId and id = $id and lapses_at <= $at and credential_sealed is not null` as const
