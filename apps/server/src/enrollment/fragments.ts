import { ENROLLED_PASSKEYS, ENROLLMENT_ERROR_CODES } from '@mintmark/contract'
import { bool, columns, nullable, oneOf, text, time } from '../db/row.ts'
import { originList } from '../platform/states.ts'
import { ENROLLMENT_STATES, ENROLLMENT_TRANSITIONS } from './states.ts'

// Parts of the statements that enroll a card: alone, or in a session.

/** Why no enrollment is begun, in the order in which the reasons are looked at. */
export const ENROLL_REFUSALS = [
  'MERCHANT_LOOKUP_ERROR',
  'CONFIG_ERROR',
  'ENROLL_USER_EMAIL_REQUIRED',
  'VAULT_RECORD_NOT_FOUND',
] as const
export type EnrollRefusal = (typeof ENROLL_REFUSALS)[number]

const ACCOUNT = { name: text, status: text, networkProfile: text }

/** CTEs `account`, `record`, `refusal` and `admitted`: whether the merchant may enroll this card. Needs `known` before it. */
export const ADMIT_ENROLLMENT = `account as (
     select ${columns(ACCOUNT)} from merchants where id = $merchantId
   ), record as (
     select id from vault_records
     where merchant_id = $merchantId and id = $vaultRecordId::uuid and added_by = 'merchant'
   ), refusal as (
     select case
       when not exists (select 1 from account where status = 'active') then 'MERCHANT_LOOKUP_ERROR'
       when not exists (select 1 from account where network_profile is not null) then 'CONFIG_ERROR'
       when $email::text is null and not exists (select 1 from known) then 'ENROLL_USER_EMAIL_REQUIRED'
       when $vaultRecordId::uuid is not null and not exists (select 1 from record) then 'VAULT_RECORD_NOT_FOUND'
     end as code
   ), admitted as (
     select 1 as yes where (select code from refusal) is null
   )` as const

/** CTE `enrollment`: what a session is for that enrolls a card, if `admitted` has a row. */
export const INSERT_ENROLLMENT = `enrollment as (
     insert into enrollments (merchant_id, session_id, payee_name, consent_given, status, updated_at)
     select $merchantId, $sessionId, account.name, $consentGiven::boolean, 'open', $at
     from admitted, account
     returning session_id
   )` as const

/** What is shown of an enrollment, beside the columns of its session. */
export const SHOWN_ENROLLMENT = {
  /** Null: it is not there, though its session is. */
  enrollmentState: nullable(oneOf(ENROLLMENT_STATES)),
  consentGiven: bool,
  enrolledPasskey: nullable(oneOf(ENROLLED_PASSKEYS)),
  enrollmentError: nullable(oneOf(ENROLLMENT_ERROR_CODES)),
  /** Until when a try counts as being in hand. */
  busyUntil: nullable(time),
}

/** The select list of `SHOWN_ENROLLMENT`, from `JOIN_SHOWN_ENROLLMENT`. */
export const SHOWN_ENROLLMENT_COLUMNS = `enrolled.status as enrollment_state, enrolled.consent_given,
  enrolled.passkey as enrolled_passkey, enrolled.error_code as enrollment_error, enrolled.busy_until`

/** Joins the enrollment that `sessions s` is for, if it is there, as `enrolled`. Lateral for the reason of `JOIN_CHARGE`. */
export const JOIN_SHOWN_ENROLLMENT = `left join lateral (
     select * from enrollments where merchant_id = $merchantId and session_id = s.id offset 0) enrolled on true`

/** An UPDATE: a try of the session's enrollment is in hand, and what the last one came to is past. */
export const BEGIN_TRY = `update enrollments set busy_until = $busyUntil, error_code = null, updated_at = $at
   where merchant_id = $merchantId and session_id = $sessionId and status = 'open'` as const

/** An UPDATE: the try is over, and the next one may be made. `error` is SQL: why it came to nothing; null: nothing is said of it. */
export const endTry = <const Error extends string>(error: Error) =>
  `update enrollments set busy_until = null, error_code = ${error}, updated_at = $at
   where merchant_id = $merchantId and session_id = $sessionId and status = 'open'` as const

/** CTE `awaiting`: locks the enrollment that its cardholder ends with a passkey, if `condition` holds. No row: it has ended. */
export const lockOpen = <const Condition extends string>(condition: Condition) =>
  `awaiting as materialized (
     select session_id from enrollments
     where merchant_id = $merchantId and session_id = $sessionId and status = 'open' and ${condition}
     for no key update
   )` as const

/** CTE `changed`: card and passkey are there, if `cte` has a row. */
export const completeEnrollment = <const Cte extends string>(cte: Cte) =>
  `changed as (
     update enrollments set status = 'completed', passkey = $enrolledPasskey, error_code = null, busy_until = null,
       updated_at = $at
     where merchant_id = $merchantId and session_id = $sessionId
       and status in (${originList(ENROLLMENT_TRANSITIONS, 'completed')}) and exists (select 1 from ${cte})
     returning session_id
   )` as const

/** CTE `enrollment`: the enrollments of the sessions whose `id` a CTE has are deleted. */
export const deleteEnrollments = <const Cte extends string>(cte: Cte) =>
  `enrollment as (
     delete from enrollments where merchant_id = $merchantId and session_id = any (array(select id from ${cte}))
   )` as const
