import { MANDATE_STATUSES, MERCHANT_SCOPES, RECURRING_FREQUENCIES, SETUP_FAILURE_CODES } from '@mintmark/contract'
import { CUSTOMER_ID } from '../customers/fragments.ts'
import { bigint, bool, columns, int, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { HELD_ANEW, insertWork } from '../jobs/fragments.ts'
import { INSTRUCTION, INSTRUCTION_COLUMNS } from './fragments.ts'

// Parts of the statements about a standing mandate until it is active: it is made with the session that sets it up, shown
// there, and approved there.

const insertStanding = <const Names extends string, const Values extends string>(names: Names, values: Values) =>
  `mandate as (
     insert into mandates (merchant_id, id, customer_id, per_checkout, status, frequency, merchant_scope, payee_name,
       payee_network_name, payee_url, payee_country, payee_category_code, payee_category, approved_minor, currency, max_charges,
       valid_until, adjustable, owner_seal, session_id, order_id, external_order_ref, products, created_at${names})
     select $merchantId, $mandateId, ${CUSTOMER_ID}, false, 'pending', $frequency, $merchantScope, $payeeName,
       $payeeNetworkName, $payeeUrl, $payeeCountry, $payeeCategoryCode, $payeeCategory, $amountMinor, $currency,
       $maxCharges::integer, $validUntil, $adjustable::boolean, $ownerSeal::bytea, $sessionId, $orderId, $externalOrderRef,
       $products::jsonb, $at${values}
     from admitted
     returning id
   )` as const
/** CTE `mandate`: a standing mandate as the merchant asks for it, if `admitted` has a row. */
export const INSERT_STANDING_MANDATE = insertStanding('', '')
/** The same as an agent asks for it. */
export const INSERT_AGENT_MANDATE = insertStanding(', agent_id', ', $agentId')

/** What is shown of a mandate in the session that sets it up, beside the columns of the session. */
export const SHOWN_SETUP = {
  mandateStatus: oneOf(MANDATE_STATUSES),
  setupFailure: nullable(oneOf(SETUP_FAILURE_CODES)),
  frequency: oneOf(RECURRING_FREQUENCIES),
  merchantScope: oneOf(MERCHANT_SCOPES),
  maxCharges: nullable(int),
  /** For a one-time mandate that is not approved: the latest that it can become. */
  validUntil: time,
  adjustable: bool,
  activatedAt: nullable(time),
}

/** The select list of `SHOWN_SETUP`, from `JOIN_SHOWN_SETUP`. */
export const SHOWN_SETUP_COLUMNS = `setup.status as mandate_status, setup.failure_code as setup_failure, setup.frequency,
  setup.merchant_scope, setup.max_charges, setup.valid_until, setup.adjustable, setup.activated_at`

/** Joins the mandate that `sessions s` sets up as `setup`. Lateral for the reason of `JOIN_CHARGE`. */
export const JOIN_SHOWN_SETUP = `join lateral (
     select * from mandates where merchant_id = $merchantId and id = s.mandate_id offset 0) setup on true`

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
const SETUP_WORK_COLUMNS =
  `mandates.merchant_id, mandates.id, work.lease_fence, work.attempts, ${CLAIMED_SETUP_COLUMNS}` as const

/** What was signed is what the merchant asked for, or less. */
const STILL_ASKED = `status = 'pending' and approval_hash is null and customer_id = $customerId
       and approved_minor >= $amountMinor and valid_until >= $validUntil and currency = $currency and payee_url = $payeeUrl
       and frequency = $frequency and merchant_scope = $merchantScope
       and max_charges is not distinct from $maxCharges::integer` as const

/**
 * The end of a statement that has `closed`: the mandate as it was approved, and the work to register it, leased to the caller; refused where
 * the mandate has ended, or is not what was signed. Written before the network is asked: if this process dies then, a worker takes over when
 * the lease ends. Returns `SETUP_WORK`.
 */
export const ALLOW_MANDATE = `allowed as (
     update mandates set card_id = $cardId, approved_minor = $amountMinor, valid_until = $validUntil,
       approval_hash = $approvalHash, seal = $mandateSeal, updated_at = $at
     where merchant_id = $merchantId and id = $mandateId and ${STILL_ASKED} and exists (select 1 from closed)
     returning *
   ), work as (
     ${insertWork('mandate', '(select id from allowed)', '$at', '1', '$leaseUntil')}
     ${HELD_ANEW}
     returning lease_fence, attempts
   )
   select ${SETUP_WORK_COLUMNS} from allowed mandates, work, (select $tokenRef::text as network_token_ref) cards` as const
