import { CHARGE_STATUSES, CONFIRMATIONS, PAYMENT_FAILURE_CODES, REPORTED_OUTCOMES } from '@mintmark/contract'
import { releaseCards } from '../cards/fragments.ts'
import { bool, bytes, columns, int, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { FREE } from '../jobs/due.ts'
import { LISTED } from '../jobs/fragments.ts'
import { dueWork } from '../jobs/work.ts'
import { JOIN_ANY_INSTRUCTION } from '../mandates/fragments.ts'
import { originList } from '../platform/states.ts'
import { FAILED, ranOut } from './end-fragments.ts'
import { CANCELLED, END_AT_NETWORK, EXPIRED } from './mandate-fragments.ts'
import { CHARGE_TRANSITIONS } from './states.ts'
import {
  CHANGED,
  CLAIMED_WORK,
  CLAIMED_WORK_COLUMNS,
  HAS_WORK,
  LISTED_WORK,
  READY,
  REPORTED_WORK,
  REPORTED_WORK_COLUMNS,
} from './work-fragments.ts'

export type { ChangedCharge, ChargeWork, ReportedWork } from './work-fragments.ts'

export const RECONCILE_JOB = 'charges.reconcile'

/** Charges with an open network call, or with a credential that was not reported in time. */
export const chargeWork = dueWork(
  'charges',
  {
    table: 'charges',
    due: 'work_due_at',
    where: LISTED_WORK,
    ready: READY,
    key: HAS_WORK,
    end: 'update charges set work_due_at = null, lease_until = null',
  },
  { job: RECONCILE_JOB, shape: CLAIMED_WORK, list: CLAIMED_WORK_COLUMNS, joins: JOIN_ANY_INSTRUCTION, as: 'charges' },
)

/** Which merchants have charges that only wait for their report, and were looked at before their credential lapses. */
export const listMerchantsWithWaiting = many(
  'charges.list_merchants_with_waiting',
  `select distinct merchant_id from (
     select merchant_id from charges where ${LISTED_WORK} and work_due_at <= $at and ${FREE} and not ${READY}
     order by work_due_at limit $limit) waiting`,
  { merchantId: text },
)

/** From now on they are looked at when their credential lapses. */
export const updateWaiting = many(
  'charges.update_waiting',
  `update charges set work_due_at = lapses_at
   where merchant_id = $merchantId and id = any (array(
     select id from charges
     where merchant_id = $merchantId and merchant_id >= $merchantId and ${LISTED_WORK} and work_due_at <= $at and ${FREE}
       and not ${READY} order by work_due_at limit $limit for update skip locked))
   returning id`,
  { id: text },
)

/** CTE `work`: locks the work of a purchase whose charge is ended from outside, if it has any, before the charge. */
const LOCK_WORK = `work as materialized (
     select id from open_work where merchant_id = $merchantId and kind = 'purchase' and id = $chargeId for update
   )` as const
/** True. It makes `work` run before the row of the charge is locked. */
const AFTER_WORK = '(select count(*) from work) < 2'
const ENDED_FROM_OUTSIDE = `merchant_id = $merchantId and id = $chargeId and ${AFTER_WORK}` as const

/**
 * Ended before a credential existed. Without its work a call in flight writes nothing. None: also where it was approved
 * after its mandate was looked for.
 */
export const updateVoided = one(
  'charges.update_voided',
  `with ${LOCK_WORK}, changed as (
     update charges set ${FAILED}, failure_code = $failure, version = version + 1, updated_at = $at${CANCELLED}
     where ${ENDED_FROM_OUTSIDE} and status = any($from) and mandate_id is not distinct from $mandateId
       and status in (${originList(CHARGE_TRANSITIONS, 'failed', ['initiated', 'minting'])})
     returning *
   ), ${releaseCards('changed', '$customerId')}, ${END_AT_NETWORK}
   select ${columns(CHANGED)} from changed`,
  CHANGED,
)

/** The mandate of a charge, if it was approved. */
export const findMandate = one(
  'charges.find_mandate',
  'select mandate_id from charges where merchant_id = $merchantId and id = $chargeId',
  { mandateId: nullable(text) },
)

/** A credential that did not open, sealed again. None: it was reported, ended or sealed again meanwhile. */
export const updateCredential = execute(
  'charges.update_credential',
  `update charges set credential_sealed = $sealed, credential_key_id = $keyId
   where merchant_id = $merchantId and id = $chargeId and status = 'awaiting_result' and reported_outcome is null
     and credential_sealed = $broken`,
)

/** What of a credential's charge has open work: the charge itself, or the purchase that it is paid for. */
export type CredentialHolder = 'charge' | 'purchase'

/**
 * CTE `found`: credentials that one key wraps. A charge that has one has open work, or its purchase has: its time ends.
 */
const underKey = {
  charge: `found as materialized (
       select merchant_id, id, credential_sealed as sealed, credential_key_id as key_id from charges
       where ${LISTED_WORK} and credential_key_id = $keyId)`,
  purchase: `found as not materialized (
       select w.merchant_id, w.id, c.sealed, c.key_id from open_work w cross join lateral (
         select credential_sealed as sealed, credential_key_id as key_id from charges
         where merchant_id = w.merchant_id and id = w.id and credential_key_id = $keyId offset 0) c
       where w.kind = 'purchase' and w.${LISTED})`,
} as const

/** Operator's statement: credentials that one key wraps, in a fixed order. */
const listUnderKey = (holder: CredentialHolder) =>
  many(
    `${holder}s.list_credentials_under_key`,
    `with ${underKey[holder]}
     select merchant_id, id, sealed, key_id from found where (merchant_id, id) > ($afterMerchantId, $afterId)
     order by merchant_id, id limit $limit`,
    { merchantId: text, id: text, sealed: bytes, keyId: text },
  )
export const listCredentialsUnderKey = { charge: listUnderKey('charge'), purchase: listUnderKey('purchase') }

/** Operator's statement: how many credentials one key wraps, at most `limit`. */
const countUnderKey = (holder: CredentialHolder) =>
  one(
    `${holder}s.count_credentials_under_key`,
    `with ${underKey[holder]} select count(*)::int as count from (select 1 from found limit $limit) counted`,
    { count: int },
  )
export const countCredentialsUnderKey = { charge: countUnderKey('charge'), purchase: countUnderKey('purchase') }

/** The credential's time passed without a report. None: a report came first. */
export const updateLapsed = one(
  'charges.update_lapsed',
  `with ${LOCK_WORK}, ${ranOut(ENDED_FROM_OUTSIDE, 'MANDATE_EXPIRED', 'lapses_at <= $at', '*', EXPIRED)},
   ${releaseCards('changed', '(select customer_id from changed)')}, ${END_AT_NETWORK}
   select ${columns(CHANGED)} from changed`,
  CHANGED,
)

/**
 * The credential is over from now on, and what follows of that is due; a charge that is being minted is due as well.
 */
export const updateLapseNow = execute(
  'charges.update_lapse_now',
  `update charges set lapses_at = case when lapses_at > $at then $at else lapses_at end,
     work_due_at = case when ${HAS_WORK} then $at::timestamptz end, updated_at = $at
   where merchant_id = $merchantId and id = $chargeId and status in ('minting', 'awaiting_result') and reported_outcome is null`,
)

const REPORTED = {
  chargeStatus: oneOf(CHARGE_STATUSES),
  mandateId: nullable(text),
  failure: nullable(oneOf(PAYMENT_FAILURE_CODES)),
  lapsesAt: nullable(time),
  reportedOutcome: nullable(oneOf(REPORTED_OUTCOMES)),
  networkConfirmation: nullable(oneOf(CONFIRMATIONS)),
  standingMandateId: nullable(text),
  /** Null while there is no credential: not yet, or not any more. */
  credentialKeyId: nullable(text),
}
/** How far the report of a charge has come. */
export type ReportedCharge = RowOf<typeof REPORTED>
/** The same as another feature knows it; one that has charges of checkouts only need not say so. */
export type KnownCharge = Omit<ReportedCharge, 'standingMandateId'> & Partial<Pick<ReportedCharge, 'standingMandateId'>>

export const findReported = one(
  'charges.find_reported',
  `select status as charge_status, mandate_id, failure_code as failure, lapses_at, reported_outcome,
     network_confirmation, standing_mandate_id, credential_key_id
   from charges where merchant_id = $merchantId and id = $chargeId`,
  REPORTED,
)

/**
 * Takes the report, for the caller to confirm it. None: another report has the charge or has decided it, or it awaits
 * none.
 */
export const claimReport = one(
  'charges.claim_report',
  // The first report wins and keeps the row until the network has confirmed; the same outcome again may take over once
  // the lease has ended; the other outcome never matches. The credential is erased with the claim: it has been used.
  // One that is there and lapsed takes no report before the network has said whether it was used. A report that comes
  // again before the network is to be asked again is early: it asks, and when and how often that is due stays as it
  // was.
  `with free as materialized (
     select id, work_due_at > $at and reported_outcome is not null as is_early from charges
     where merchant_id = $merchantId and id = $chargeId and ${HAS_WORK} and ${FREE} for update
   )
   update charges set lease_until = $leaseUntil, lease_fence = lease_fence + 1,
     work_due_at = case when is_early then work_due_at else least(work_due_at, $leaseUntil) end,
     attempts = attempts + (not is_early)::int, reported_outcome = $outcome,
     reported_type = coalesce(reported_type, $type), authorization_code = coalesce(authorization_code, $authorizationCode),
     response_code = coalesce(response_code, $responseCode), paid_minor = coalesce(paid_minor, $paidMinor),
     products = case when reported_outcome is null then $products::jsonb else products end,
     reported_at = coalesce(reported_at, $at), credential_sealed = null, credential_key_id = null, updated_at = $at
   from free where charges.merchant_id = $merchantId and charges.id = free.id and status = 'awaiting_result'
     and (reported_outcome is null or reported_outcome = $outcome)
     and (reported_outcome is not null
       or lapses_at > case when standing_mandate_id is null or credential_sealed is not null then $at else $overdueBound end)
   returning ${REPORTED_WORK_COLUMNS}, is_early`,
  { ...REPORTED_WORK, isEarly: bool },
)

/** Gives back what an early report took, and nothing else of it. */
export const releaseEarly = execute(
  'charges.release_early',
  `update charges set lease_until = null
   where merchant_id = $merchantId and id = $id and lease_fence = $leaseFence and lease_until is not null`,
)
