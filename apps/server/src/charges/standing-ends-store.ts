import { text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { INSERT_EVENT } from '../events/fragments.ts'
import { closeWork, workOf } from '../jobs/fragments.ts'
import { LOCK_MANDATE } from '../mandates/fragments.ts'
import { MANDATE_TRANSITIONS } from '../mandates/states.ts'
import { originList } from '../platform/states.ts'
import { FAILS, GIVE_BACK, GIVEN_BACK } from './standing-fragments.ts'
import { CHARGE_TRANSITIONS } from './states.ts'

// How charges against standing mandates end. Where nothing goes back to the mandate its row is not locked: it is the one row
// that all charges of a mandate want.

const CAPTURED = { resourceId: text }
const lockHeld = <const Condition extends string>(condition: Condition) =>
  `held as materialized (
     select id from open_work where ${workOf('charge', '$id')} and lease_fence = $leaseFence and lease_until is not null
       ${condition} for update
   )` as const
const HELD = lockHeld('')
/** After the mandate. */
const HELD_AND_LOCKED = lockHeld('and exists (select from mandate)')
const HELD_CHARGE =
  'merchant_id = $merchantId and id = $id and version = $version and exists (select from held)' as const
const CLOSE_WORK = `closed as (${closeWork('charge', 'changed')})` as const

/** The network minted. None: the lease went to another worker. */
export const updateStandingMinted = one(
  'charges.update_standing_minted',
  `with ${HELD}, changed as (
     update charges set status = 'awaiting_result', credential_sealed = $sealed, credential_key_id = $keyId,
       lapses_at = $lapsesAt, version = version + 1, updated_at = $at
     where ${HELD_CHARGE} and status in (${originList(CHARGE_TRANSITIONS, 'awaiting_result')})
     returning id
   ), next as (
     update open_work set due_at = $lapsesAt, lease_until = null, attempts = 0
     where ${workOf('charge', '(select id from changed)')}
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network refused to mint: charge, amount, count, reference and event in one statement. None: as above. */
export const updateStandingRefused = one(
  'charges.update_standing_refused',
  `with ${LOCK_MANDATE}, ${HELD_AND_LOCKED}, changed as (
     update charges set status = 'failed', failure_code = $failure, version = version + 1, updated_at = $at
     where ${HELD_CHARGE} and ${FAILS('minting')}
     returning ${GIVEN_BACK}
   ), ${CLOSE_WORK}, ${GIVE_BACK}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network knows that it was declined. None: as above. */
export const updateStandingDeclined = one(
  'charges.update_standing_declined',
  `with ${LOCK_MANDATE}, ${HELD_AND_LOCKED}, changed as (
     update charges set status = 'failed', failure_code = 'PAYMENT_DECLINED', network_confirmation = $confirmation,
       version = version + 1, updated_at = $at
     where ${HELD_CHARGE} and ${FAILS('awaiting_result')}
     returning ${GIVEN_BACK}
   ), ${CLOSE_WORK}, ${GIVE_BACK}
   ${INSERT_EVENT}`,
  CAPTURED,
)

const PAID =
  `update charges set status = 'completed', network_confirmation = $confirmation, version = version + 1, updated_at = $at
     where ${HELD_CHARGE} and status in (${originList(CHARGE_TRANSITIONS, 'completed')})
     returning id` as const

/** The network knows that it was paid; the mandate stays as it is. None: as above. */
export const updateStandingPaid = one(
  'charges.update_standing_paid',
  `with ${HELD}, changed as (
     ${PAID}
   ), ${CLOSE_WORK}
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
   ), ${HELD_AND_LOCKED}, changed as (
     ${PAID}
   ), ${CLOSE_WORK}, consumed as (
     update mandates set status = 'consumed', ended_at = $at, version = mandates.version + 1, updated_at = $at
     from changed where mandates.merchant_id = $merchantId and mandates.id = $mandateId
       and mandates.status in (${originList(MANDATE_TRANSITIONS, 'consumed')})
     returning mandates.id
   ), told as (
     insert into events (merchant_id, id, type, resource_type, resource_id, resource_version, schema_version,
       environment, data, occurred_at)
     select $merchantId, $consumedId, $consumedType, $consumedResourceType, id, $consumedVersion, $schemaVersion,
       $environment, $consumedData, $at
     from consumed
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The credential's time is over, and no report came: it is erased, and the charge waits on. None: a report came first. */
export const updateOverdue = one(
  'charges.update_overdue',
  `with ${HELD}, changed as (
     update charges set credential_sealed = null, credential_key_id = null, version = version + 1, updated_at = $at
     where ${HELD_CHARGE} and reported_outcome is null and status = 'awaiting_result' and lapses_at <= $at
     returning id
   ), next as (
     update open_work set due_at = $nextDueAt, lease_until = null, attempts = 0
     where ${workOf('charge', '(select id from changed)')}
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** No report came in the time after that either. None: as above. */
export const updateReportTimeout = one(
  'charges.update_report_timeout',
  `with ${LOCK_MANDATE}, ${HELD_AND_LOCKED}, changed as (
     update charges set status = 'failed', failure_code = 'REPORT_TIMEOUT', credential_sealed = null,
       credential_key_id = null, version = version + 1, updated_at = $at
     where ${HELD_CHARGE} and reported_outcome is null and lapses_at <= $overdueBound and ${FAILS('awaiting_result')}
     returning ${GIVEN_BACK}
   ), ${CLOSE_WORK}, ${GIVE_BACK}
   ${INSERT_EVENT}`,
  CAPTURED,
)
