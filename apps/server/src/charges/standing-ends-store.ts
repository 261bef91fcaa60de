import { CLOSE_IN_LIMITS } from '../agents/fragments.ts'
import { text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { INSERT_EVENT, insertConsumedEvent } from '../events/fragments.ts'
import { putOffWork } from '../jobs/fragments.ts'
import { CONSUME_STANDING, LOCK_MANDATE } from '../mandates/fragments.ts'
import {
  CAPTURED,
  CLOSE_WORK,
  declined,
  FAILS,
  HELD_CHARGE,
  LOCK_HELD,
  LOCK_HELD_AFTER_MANDATE,
  MINTED,
  PAID,
  refused,
} from './end-fragments.ts'
import { GIVE_BACK, GIVEN_BACK } from './standing-fragments.ts'

// How charges against standing mandates end. Where nothing goes back to the mandate its row is not locked: it is the one row
// that all charges of a mandate want.

/** The network minted. None: the lease went to another worker. */
export const updateStandingMinted = one(
  'charges.update_standing_minted',
  `with ${LOCK_HELD}, ${MINTED}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network refused to mint: charge, amount, count, reference and event in one statement. None: as above. */
export const updateStandingRefused = one(
  'charges.update_standing_refused',
  `with ${LOCK_MANDATE}, ${LOCK_HELD_AFTER_MANDATE}, ${refused(GIVEN_BACK)}, ${CLOSE_WORK}, ${GIVE_BACK}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network knows that it was declined. None: as above. */
export const updateStandingDeclined = one(
  'charges.update_standing_declined',
  `with ${LOCK_MANDATE}, ${LOCK_HELD_AFTER_MANDATE}, ${declined(GIVEN_BACK)}, ${CLOSE_WORK}, ${GIVE_BACK}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network knows that it was paid; the mandate stays as it is. None: as above. */
export const updateStandingPaid = one(
  'charges.update_standing_paid',
  `with ${LOCK_HELD}, ${PAID}, ${CLOSE_WORK}, ${CLOSE_IN_LIMITS}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/**
 * The same of the one payment of a mandate, which ends with it: two changes, two events. None: as above, or the mandate is not
 * as it was read.
 */
export const updateLastPaid = one(
  'charges.update_last_paid',
  `with mandate as materialized (
     select id from mandates where merchant_id = $merchantId and id = $mandateId and version = $mandateVersion
     for no key update
   ), ${LOCK_HELD_AFTER_MANDATE}, ${PAID}, ${CLOSE_WORK}, ${CLOSE_IN_LIMITS}, ${CONSUME_STANDING}, told as (
     ${insertConsumedEvent('consumed')}
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network has released the credential: charge, amount, count, reference and event. None: the lease was lost. */
export const updateLapsedUnused = one(
  'charges.update_lapsed_unused',
  `with ${LOCK_MANDATE}, ${LOCK_HELD_AFTER_MANDATE}, changed as (
     update charges set status = 'failed', failure_code = 'CREDENTIAL_LAPSED', credential_sealed = null,
       credential_key_id = null, version = version + 1, updated_at = $at
     where ${HELD_CHARGE} and reported_outcome is null and ${FAILS('awaiting_result')}
     returning ${GIVEN_BACK}
   ), ${CLOSE_WORK}, ${GIVE_BACK}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network says that it was spent: the credential is erased, and the charge waits for its report. None: as above. */
export const updateLapsedUsed = one(
  'charges.update_lapsed_used',
  `with ${LOCK_HELD}, changed as (
     update charges set credential_sealed = null, credential_key_id = null, updated_at = $at
     where ${HELD_CHARGE} and reported_outcome is null and status = 'awaiting_result'
     returning id
   )
   ${putOffWork('charge', '(select id from changed)', '$nextDueAt')}
   returning id`,
  { id: text },
)

/** A day later no report has come. None: a report came first. */
export const updateOverdue = one(
  'charges.update_overdue',
  `with ${LOCK_HELD}, changed as (
     update charges set overdue_at = $at, version = version + 1, updated_at = $at
     where ${HELD_CHARGE} and reported_outcome is null and status = 'awaiting_result'
     returning id
   ), next as (
     ${putOffWork('charge', '(select id from changed)', '$nextDueAt')}
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** No report came in the time after that either. None: as above. */
export const updateReportTimeout = one(
  'charges.update_report_timeout',
  `with ${LOCK_MANDATE}, ${LOCK_HELD_AFTER_MANDATE}, changed as (
     update charges set status = 'failed', failure_code = 'REPORT_TIMEOUT', credential_sealed = null,
       credential_key_id = null, version = version + 1, updated_at = $at
     where ${HELD_CHARGE} and reported_outcome is null and lapses_at <= $overdueBound and ${FAILS('awaiting_result')}
     returning ${GIVEN_BACK}
   ), ${CLOSE_WORK}, ${GIVE_BACK}
   ${INSERT_EVENT}`,
  CAPTURED,
)
