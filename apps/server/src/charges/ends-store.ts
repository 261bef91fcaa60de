import { PAYMENT_FAILURE_CODES } from '@mintmark/contract'
import { CLOSE_IN_LIMITS, GIVE_BACK_TO_LIMITS } from '../agents/fragments.ts'
import { releaseCards } from '../cards/fragments.ts'
import { columns, nullable, oneOf, text } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { INSERT_EVENT, insertConsumedEvent } from '../events/fragments.ts'
import { IS_HELD, workOf } from '../jobs/fragments.ts'
import {
  ACTIVATE_MANDATE,
  CANCEL_MANDATE,
  CONSUME_MANDATE,
  CONSUME_STANDING,
  GIVE_BACK_TO_MANDATE,
  LOCK_MANDATE,
} from '../mandates/fragments.ts'
import { originList } from '../platform/states.ts'
import {
  CAPTURED,
  cameToNothingIf,
  FAILED,
  heldCharge,
  IS_HELD_AFTER_MANDATE,
  mintedIf,
  paidIf,
} from './end-fragments.ts'
import { CHARGE_TRANSITIONS } from './states.ts'
import { CHANGED, dueNext } from './work-fragments.ts'

// How charges end: what their holder records, with its event and what becomes of the mandate in one statement. None: the lease went to
// another worker, or the charge was ended meanwhile; then nothing is written. Locks: mandate, charge.

/** CTE `released`, after `LOCK_MANDATE`: the payment is over, and with it its session. */
const RELEASED = releaseCards('changed', '(select customer_id from mandate)')

/** What `changed` must return of a charge for `GIVE_BACK`. */
const GIVEN_BACK = 'id, amount_minor, window_started_at, agent_id, created_at'
/** CTEs, if `changed` has a row: a standing mandate and the limits of an agent have back what the charge took. */
const GIVE_BACK = `${GIVE_BACK_TO_MANDATE}, ${GIVE_BACK_TO_LIMITS}` as const

/** The network minted. A standing mandate is the one row that all of its charges want: where it stays as it is, it is not locked. */
export const minted = {
  activated: one(
    'charges.update_minted',
    `with ${LOCK_MANDATE}, ${mintedIf(IS_HELD_AFTER_MANDATE)}, ${ACTIVATE_MANDATE}
     ${INSERT_EVENT}`,
    CAPTURED,
  ),
  kept: one(
    'charges.update_standing_minted',
    `with ${mintedIf(IS_HELD)}
     ${INSERT_EVENT}`,
    CAPTURED,
  ),
}

/** It came to nothing. */
export const failed = {
  cancelled: one(
    'charges.update_failed',
    `with ${LOCK_MANDATE}, ${cameToNothingIf(IS_HELD_AFTER_MANDATE, 'id')}, ${RELEASED}, ${CANCEL_MANDATE}
     ${INSERT_EVENT}`,
    CAPTURED,
  ),
  givenBack: one(
    'charges.update_standing_failed',
    `with ${LOCK_MANDATE}, ${cameToNothingIf(IS_HELD_AFTER_MANDATE, GIVEN_BACK)}, ${GIVE_BACK}
     ${INSERT_EVENT}`,
    CAPTURED,
  ),
}

/** The network knows that it was paid. */
export const paid = {
  consumed: one(
    'charges.update_paid',
    `with ${LOCK_MANDATE}, ${paidIf(IS_HELD_AFTER_MANDATE)}, ${RELEASED}, ${CONSUME_MANDATE}
     ${INSERT_EVENT}`,
    CAPTURED,
  ),
  kept: one(
    'charges.update_standing_paid',
    `with ${paidIf(IS_HELD)}, ${CLOSE_IN_LIMITS}
     ${INSERT_EVENT}`,
    CAPTURED,
  ),
  /** The one payment of a standing mandate: two changes, two events. None as well: the mandate is not as it was read. */
  consumedStanding: one(
    'charges.update_last_paid',
    `with mandate as materialized (
       select id from mandates where merchant_id = $merchantId and id = $mandateId and version = $mandateVersion
       for no key update
     ), ${paidIf(IS_HELD_AFTER_MANDATE)}, ${CLOSE_IN_LIMITS}, ${CONSUME_STANDING}, told as (
       ${insertConsumedEvent('consumed')}
     )
     ${INSERT_EVENT}`,
    CAPTURED,
  ),
}

/** A credential was used, and no report of it has come. */
export const overdue = {
  kept: one(
    'charges.update_overdue',
    `with changed as (
       update charges set overdue_at = $at, ${dueNext('$nextDueAt')}, version = version + 1, updated_at = $at
       where ${heldCharge(IS_HELD)} and reported_outcome is null and status = 'awaiting_result'
       returning id
     )
     ${INSERT_EVENT}`,
    CAPTURED,
  ),
}

/** The network says that it was spent: the credential is erased, and the charge waits for its report. */
export const updateUsed = one(
  'charges.update_used',
  `update charges set credential_sealed = null, credential_key_id = null, ${dueNext('$nextDueAt')}, updated_at = $at
   where ${heldCharge(IS_HELD)} and reported_outcome is null and status = 'awaiting_result'
   returning id`,
  { id: text },
)

// A charge that is ended from outside: by its owner, its merchant or its time, whoever holds it.

/** CTE `work`: locks the work of the purchase of a charge that is ended from outside, if it has one, before the charge. */
const LOCK_WORK = `work as materialized (
     select id from open_work where ${workOf('purchase', '$chargeId')} for update
   )` as const
/** True. It makes `work` run before the row of the charge is locked. */
const AFTER_WORK = '(select count(*) from work) < 2'

/** Ended before a credential existed. Without its work a call in flight writes nothing. */
export const updateVoided = one(
  'charges.update_voided',
  `with ${LOCK_WORK}, changed as (
     update charges set ${FAILED}, failure_code = $failure, version = version + 1, updated_at = $at
     where merchant_id = $merchantId and id = $chargeId and status = any($from) and ${AFTER_WORK}
       and status in (${originList(CHARGE_TRANSITIONS, 'failed', ['initiated', 'minting'])})
     returning *
   ), ${releaseCards('changed', '$customerId')}
   select ${columns(CHANGED)} from changed`,
  CHANGED,
)

/** The mandate of a charge, if it was approved. */
export const findMandate = one(
  'charges.find_mandate',
  'select mandate_id from charges where merchant_id = $merchantId and id = $chargeId',
  { mandateId: nullable(text) },
)

/**
 * The credential's time passed without a report; before the time of its mandate, where it was ended (`updateLapseNow`). None: a report came
 * first.
 */
export const updateLapsed = one(
  'charges.update_lapsed',
  `with ${LOCK_WORK}, changed as (
     update charges set ${FAILED}, credential_sealed = null, credential_key_id = null, version = version + 1, updated_at = $at,
       failure_code = case when lapses_at < (
         select valid_until from mandates where merchant_id = $merchantId and id = charges.mandate_id)
         then 'CREDENTIAL_LAPSED' else 'MANDATE_EXPIRED' end
     where merchant_id = $merchantId and id = $chargeId and reported_outcome is null and lapses_at <= $at
       and ${AFTER_WORK} and status in (${originList(CHARGE_TRANSITIONS, 'failed', ['awaiting_result'])})
     returning *
   ), ${releaseCards(
     'changed',
     `(
       select customer_id from mandates where merchant_id = $merchantId and id = (select mandate_id from changed))`,
   )}
   select ${columns(CHANGED)}, failure_code as failure from changed`,
  { ...CHANGED, failure: oneOf(PAYMENT_FAILURE_CODES) },
)

/** The credential is over from now on, and what follows of that is due; a charge that is being minted is due as well. */
export const updateLapseNow = execute(
  'charges.update_lapse_now',
  `update charges set work_due_at = $at, lapses_at = case when lapses_at > $at then $at else lapses_at end,
     updated_at = case when lapses_at > $at then $at else updated_at end
   where merchant_id = $merchantId and id = $chargeId and reported_outcome is null and work_due_at is not null`,
)
