import { ENROLLED_PASSKEYS, ENROLLMENT_ERROR_CODES } from '@mintmark/contract'
import { CUSTOMER_ID } from '../customers/fragments.ts'
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

/**
 * CTEs `account`, `record`, `refusal` and `admitted`: whether the merchant may enroll this card. Needs `known` before
 * it.
 */
export const AUTHORIZE_ENROLLMENT = `account as (
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

/** CTE `session`: an enrollment with its session, if `admitted` has a row. */
export const INSERT_ENROLLMENT = `session as (
     insert into enrollments (merchant_id, id, customer_id, payee_name, consent_given, status, integration_type, callback_url,
       preselected_vault_record_id, locale, launch_hash, session_version, created_at, updated_at, expires_at)
     select $merchantId, $sessionId, ${CUSTOMER_ID}, account.name, $consentGiven::boolean, 'open', $integrationType, $callbackUrl,
       $vaultRecordId::uuid, $locale, $launchHash, 1, $at, $at, $expiresAt
     from admitted, account
     returning customer_id
   )` as const

/** What is shown of an enrollment, beside the columns of its session. */
export const SHOWN_ENROLLMENT = {
  enrollmentState: oneOf(ENROLLMENT_STATES),
  consentGiven: bool,
  enrolledPasskey: nullable(oneOf(ENROLLED_PASSKEYS)),
  enrollmentError: nullable(oneOf(ENROLLMENT_ERROR_CODES)),
  /** Until when a try counts as being in hand. */
  busyUntil: nullable(time),
}

/** The select list of `SHOWN_ENROLLMENT`, from `enrollments s`. */
export const SHOWN_ENROLLMENT_COLUMNS = `s.status as enrollment_state, s.consent_given, s.passkey as enrolled_passkey,
  s.error_code as enrollment_error, s.busy_until`

/** A condition: it has not ended. */
export const IS_OPEN = "status = 'open'"

/** CTE `begun`: a try of the enrollment in `cte` is in hand, and what the last one came to is past. */
export const startTry = <const Cte extends string>(cte: Cte) =>
  `begun as (
     update enrollments set busy_until = $busyUntil, error_code = null, updated_at = $at
     where merchant_id = $merchantId and id = (select id from ${cte}) and ${IS_OPEN}
   )` as const

/** SET: the try in hand came to what it should. */
export const END_TRY = 'busy_until = null, error_code = null, updated_at = $at'

/** An UPDATE: card and passkey are there, if `condition` holds, and the session is closed with it. */
export const completeEnrollment = <const Condition extends string>(condition: Condition) =>
  `update enrollments set status = 'completed', passkey = $enrolledPasskey, ${END_TRY}, closed_at = $at, ceremony = null
     where merchant_id = $merchantId and id = $sessionId and status in (${originList(ENROLLMENT_TRANSITIONS, 'completed')})
       and ${condition}` as const

/** CTE `gone`: the enrollments whose `id` a CTE has are deleted, with their sessions. */
export const deleteEnrollments = <const Cte extends string>(cte: Cte) =>
  `gone as (
     delete from enrollments where merchant_id = $merchantId and id = any (array(select id from ${cte}))
     returning id
   )` as const
