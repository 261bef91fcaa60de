import { CLOSE_IN_LIMITS, GIVE_BACK_TO_LIMITS } from '../agents/fragments.ts'
import { releaseCards } from '../cards/fragments.ts'
import { text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { INSERT_EVENT, insertConsumedEvent } from '../events/fragments.ts'
import { CONSUME_STANDING, GIVE_BACK_TO_MANDATE, LOCK_MANDATE } from '../mandates/fragments.ts'
import {
  CAPTURED,
  COUNTED_BEFORE,
  declined,
  HELD_AFTER_MANDATE,
  HELD_CHARGE,
  minted,
  paid,
  ranOut,
  refused,
} from './end-fragments.ts'
import { ACTIVATED, CANCELLED, CONSUMED, END_AT_NETWORK } from './mandate-fragments.ts'

// What the network said of a charge is recorded in one statement with its event. None, everywhere: the charge was ended
// meanwhile, or its lease went to another worker; then nothing is written.

// A purchase: its mandate is made for it, is in its row, and ends with it.

/** CTE `released`: the payment is over, and with it its session. */
const RELEASED = releaseCards('changed', '(select customer_id from changed)')
/** What the CTE `changed` must return for it, and for the end of the mandate. */
const ENDED = 'id, customer_id, mandate_id, mandate_status, mandate_changed_at'

/** The network minted. */
export const updateMinted = one(
  'charges.update_minted',
  `with ${minted(HELD_CHARGE, ACTIVATED)}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network refused to mint. */
export const updateRefused = one(
  'charges.update_refused',
  `with ${refused(HELD_CHARGE, ENDED, 'null', CANCELLED)}, ${RELEASED}, ${END_AT_NETWORK}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network knows that it was paid. */
export const updatePaid = one(
  'charges.update_paid',
  `with ${paid(HELD_CHARGE, CONSUMED)}, ${RELEASED}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network knows that it was declined. */
export const updateDeclined = one(
  'charges.update_declined',
  `with ${declined(HELD_CHARGE, ENDED, "'PAYMENT_DECLINED'", CANCELLED)}, ${RELEASED}, ${END_AT_NETWORK}
   ${INSERT_EVENT}`,
  CAPTURED,
)

// A charge against a standing mandate. Where nothing goes back to the mandate its row is not locked: it is the one row
// that all charges of a mandate want.

/** What the CTE `changed` must return for `GIVE_BACK`. */
const GIVEN_BACK = `id, ${COUNTED_BEFORE}, window_started_at, agent_id, created_at` as const
/**
 * CTEs `given_back` and `spending_given_back`, if `changed` has a row: amount and count go back, which is a change of
 * the mandate as the charge was.
 */
const GIVE_BACK = `${GIVE_BACK_TO_MANDATE}, ${GIVE_BACK_TO_LIMITS}` as const

/** The network minted. */
export const updateStandingMinted = one(
  'charges.update_standing_minted',
  `with ${minted(HELD_CHARGE, '')}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network refused to mint: charge, amount, count and event in one statement. */
export const updateStandingRefused = one(
  'charges.update_standing_refused',
  `with ${LOCK_MANDATE}, ${refused(HELD_AFTER_MANDATE, GIVEN_BACK)}, ${GIVE_BACK}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/**
 * The network minted what no caller will read: amount and count stay with the mandate and with the agent, as they do at
 * the network.
 */
export const updateStandingLost = one(
  'charges.update_standing_lost',
  `with ${refused(HELD_CHARGE, 'id, agent_id', 'amount_minor')}, ${CLOSE_IN_LIMITS}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network knows that it was declined. */
export const updateStandingDeclined = one(
  'charges.update_standing_declined',
  `with ${LOCK_MANDATE}, ${declined(HELD_AFTER_MANDATE, GIVEN_BACK)}, ${GIVE_BACK}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network knows that it was paid; the mandate stays as it is. */
export const updateStandingPaid = one(
  'charges.update_standing_paid',
  `with ${paid(HELD_CHARGE, '')}, ${CLOSE_IN_LIMITS}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/**
 * The same of the one payment of a mandate, which ends with it: two changes, two events. None also where the mandate is
 * not as it was read.
 */
export const updateLastPaid = one(
  'charges.update_last_paid',
  `with mandate as materialized (
     select id from mandates where merchant_id = $merchantId and id = $mandateId and version = $mandateVersion
     for no key update
   ), ${paid(HELD_AFTER_MANDATE, '')}, ${CLOSE_IN_LIMITS}, ${CONSUME_STANDING}, told as (
     ${insertConsumedEvent('consumed')}
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network has released the credential: charge, amount, count and event. */
export const updateLapsedUnused = one(
  'charges.update_lapsed_unused',
  `with ${LOCK_MANDATE}, ${ranOut(HELD_AFTER_MANDATE, 'CREDENTIAL_LAPSED', 'true', GIVEN_BACK)}, ${GIVE_BACK}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** What is next is due at `$nextDueAt`, and its tries count from the beginning. */
const GOES_ON = `work_due_at = $nextDueAt, lease_until = null, attempts = 0, updated_at = $at
     where ${HELD_CHARGE} and reported_outcome is null and status = 'awaiting_result'` as const

/**
 * The network says that it was spent: the credential is erased, and the charge waits for its report.
 */
export const updateLapsedUsed = one(
  'charges.update_lapsed_used',
  `update charges set credential_sealed = null, credential_key_id = null, ${GOES_ON} returning id`,
  { id: text },
)

/** A day later no report has come. */
export const updateOverdue = one(
  'charges.update_overdue',
  `with changed as (
     update charges set overdue_at = $at, version = version + 1, ${GOES_ON} returning id
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** No report came in the time after that either. */
export const updateReportTimeout = one(
  'charges.update_report_timeout',
  `with ${LOCK_MANDATE}, ${ranOut(HELD_AFTER_MANDATE, 'REPORT_TIMEOUT', 'lapses_at <= $overdueBound', GIVEN_BACK)}, ${GIVE_BACK}
   ${INSERT_EVENT}`,
  CAPTURED,
)
