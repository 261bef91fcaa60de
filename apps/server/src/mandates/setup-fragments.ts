import { MANDATE_STATUSES, MERCHANT_SCOPES, RECURRING_FREQUENCIES, SETUP_FAILURE_CODES } from '@mintmark/contract'
import { CUSTOMER_ID } from '../customers/fragments.ts'
import { bigint, bool, columns, int, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { openWork } from '../jobs/fragments.ts'
import { INSTRUCTION, INSTRUCTION_COLUMNS } from './fragments.ts'

// Parts of the statements about a standing mandate until it is active. Its row has the session that sets it up: it is
// made with it, shown in it, and approved in it.

const insertStanding = <const Names extends string, const Values extends string>(names: Names, values: Values) =>
  `session as (
     insert into mandates (merchant_id, id, customer_id, status, frequency, merchant_scope, payee_name,
       payee_network_name, payee_url, payee_country, payee_category_code, payee_category, approved_minor, currency, max_charges,
       valid_until, adjustable, owner_seal, session_id, order_id, external_order_ref, products, created_at,
       integration_type, callback_url, description, summary, effective_minutes, preselected_vault_record_id, card_id, locale,
       launch_hash, session_version, expires_at${names})
     select $merchantId, $mandateId, ${CUSTOMER_ID}, 'pending', $frequency, $merchantScope, $payeeName,
       $payeeNetworkName, $payeeUrl, $payeeCountry, $payeeCategoryCode, $payeeCategory, $amountMinor, $currency,
       $maxCharges::integer, $validUntil, $adjustable::boolean, $ownerSeal::bytea, $sessionId, $orderId, $externalOrderRef,
       $products::jsonb, $at, $integrationType, $callbackUrl, $description, $summary::jsonb, $effectiveMinutes::integer,
       case when $cardId::text is null then $vaultRecordId::uuid end, $cardId, $locale, $launchHash::bytea, 1, $expiresAt::timestamptz${values}
     from admitted
     returning customer_id
   )` as const
/** CTE `session`: a standing mandate as the merchant asks for it, with its session, if `admitted` has a row. */
export const INSERT_STANDING_MANDATE = insertStanding('', '')
/** The same as an agent asks for it. */
export const INSERT_AGENT_MANDATE = insertStanding(
  ', agent_id, agent_name, agent_seal',
  ', $agentId, $agentName, $agentSeal::bytea',
)

/** What is shown of a mandate in the session that sets it up, beside the columns of the session. */
export const SHOWN_SETUP = {
  mandateStatus: oneOf(MANDATE_STATUSES),
  setupFailure: nullable(oneOf(SETUP_FAILURE_CODES)),
  frequency: oneOf(RECURRING_FREQUENCIES),
  merchantScope: oneOf(MERCHANT_SCOPES),
  maxCharges: nullable(int),
  /** Where a one-time mandate is not approved: the latest that it can become. */
  validUntil: time,
  adjustable: bool,
  activatedAt: nullable(time),
}

/** The select list of `SHOWN_SETUP`, from `mandates s`. */
export const SHOWN_SETUP_COLUMNS = `s.status as mandate_status, s.failure_code as setup_failure, s.frequency, s.merchant_scope,
  s.max_charges, s.valid_until, s.adjustable, s.activated_at`

/** What is said of a setup when it ends, by whatever: what its event is made of. */
export const SETUP_FACTS = {
  merchantId: text,
  id: text,
  sessionId: text,
  orderId: text,
  frequency: oneOf(RECURRING_FREQUENCIES),
  merchantScope: oneOf(MERCHANT_SCOPES),
  maxCharges: nullable(int),
  approvedMinor: bigint,
  currency: text,
  validUntil: time,
  /** Null until it is approved. */
  approvalHash: nullable(text),
}
export type SetupFacts = RowOf<typeof SETUP_FACTS>

/** What the network call of an approved setup needs, and what its event says. */
const WORK_FACTS = { sessionId: text, orderId: text }
export const CLAIMED_SETUP = { ...WORK_FACTS, ...INSTRUCTION, merchantActive: bool }
export const SETUP_WORK = { merchantId: text, id: text, leaseFence: bigint, attempts: int, ...CLAIMED_SETUP }
/** Open work on a mandate that is approved and not registered, with the fence that its result must carry. */
export type SetupWork = RowOf<typeof SETUP_WORK>
export const CLAIMED_SETUP_COLUMNS = `${columns(WORK_FACTS, 'mandates')}, ${INSTRUCTION_COLUMNS},
     (select status = 'active' from merchants where id = $merchantId) as merchant_active` as const
/** The select list of `SETUP_WORK`, from `mandates`, the caller's claim `work` and `cards`. */
export const SETUP_WORK_COLUMNS =
  `mandates.merchant_id, mandates.id, work.lease_fence, work.attempts, ${CLAIMED_SETUP_COLUMNS}` as const

/** What was signed is what the merchant asked for, or less. */
const STILL_ASKED = `status = 'pending' and approval_hash is null and customer_id = $customerId
       and approved_minor >= $amountMinor and valid_until >= $validUntil and currency = $currency and payee_url = $payeeUrl
       and frequency = $frequency and merchant_scope = $merchantScope
       and max_charges is not distinct from $maxCharges::integer` as const

/**
 * CTEs `allowed` and `work`: the mandate as it was approved, and the work to register it, leased to the caller, if
 * `condition` holds of its session, which is closed with it. No row: it has ended, or is not what was signed. What was
 * asked has been signed: the row, which is written by each charge from now on, keeps no second copy of it. Written
 * before the network is asked: if this process dies then, a worker takes over when the lease ends.
 */
export const allowMandate = <const Condition extends string>(condition: Condition) =>
  `allowed as (
     update mandates set card_id = $cardId, approved_minor = $amountMinor, valid_until = $validUntil,
       approval_hash = $approvalHash, seal = $mandateSeal, updated_at = $at, closed_at = $at, ceremony = null,
       challenge = null, nonce = null, bound_text = null
     where merchant_id = $merchantId and id = $mandateId and session_id = $sessionId and ${STILL_ASKED} and ${condition}
     returning *
   ), work as (
     ${openWork('mandate', 'allowed', '$at', '$leaseUntil')}
     returning lease_fence, attempts
   )` as const

/** What it says as a mandate is kept; of what was only asked, the card goes. */
const OF_SESSION = `integration_type = null, callback_url = null, description = null, summary = null, effective_minutes = null,
       preselected_vault_record_id = null, card_id = case when approval_hash is not null then card_id end,
       proven_card_id = null, proof = null, proof_seal = null, entry_id = null, entry_once = null, entry_keeping = null,
       code_sent_at = null, expires_at = null, extended_at = null, session_version = null, locale = null,
       agent_name = null, agent_seal = null, ceremony = null, challenge = null, nonce = null, bound_text = null,
       challenge_sign_count = null, challenge_embedded = null, challenge_expires_at = null`

/** CTE `gone`: the mandates whose `mandate_id` a CTE has know nothing of the session that set them up any more. */
export const forgetSetups = <const Cte extends string>(cte: Cte) =>
  `gone as (
     update mandates set launch_hash = null, ${OF_SESSION}
     where merchant_id = $merchantId and id = any (array(select mandate_id from ${cte})) returning id
   )` as const
