import { MERCHANT_SCOPES, RECURRING_FREQUENCIES } from '@mintmark/contract'
import { bigint, bytes, int, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { originList } from '../platform/states.ts'
import { ONE_PAYMENT } from './rules.ts'
import { MANDATE_TRANSITIONS } from './states.ts'

/** What the network must know of a mandate, as a part of the row of a charge. */
export const INSTRUCTION = {
  mandateId: text,
  mandateCustomerId: text,
  tokenRef: text,
  approvedMinor: bigint,
  mandateCurrency: text,
  frequency: oneOf(RECURRING_FREQUENCIES),
  maxCharges: nullable(int),
  merchantScope: oneOf(MERCHANT_SCOPES),
  mandatePayeeName: text,
  mandateNetworkName: text,
  mandatePayeeUrl: text,
  mandatePayeeCountry: text,
  validUntil: time,
  approvalHash: text,
  mandateSeal: bytes,
  /** Null until the network has registered the instruction. */
  instructionRef: nullable(text),
}
export type Instruction = RowOf<typeof INSTRUCTION>

/** The select list of `INSTRUCTION`, from `mandates` and the `cards` they are bound to. */
export const INSTRUCTION_COLUMNS = `mandates.id as mandate_id, mandates.customer_id as mandate_customer_id,
  cards.network_token_ref as token_ref,
  mandates.approved_minor, mandates.currency as mandate_currency, mandates.frequency, mandates.max_charges,
  mandates.merchant_scope, mandates.payee_name as mandate_payee_name,
  mandates.payee_network_name as mandate_network_name, mandates.payee_url as mandate_payee_url,
  mandates.payee_country as mandate_payee_country, mandates.valid_until, mandates.approval_hash,
  mandates.seal as mandate_seal, mandates.instruction_ref`

/**
 * Joins `mandates` and `cards` to `charges` against standing ones. Lateral, with an OFFSET that keeps it so: a plan
 * that was made while the tables were empty would otherwise read all mandates and cards of the merchant for each row.
 */
export const JOIN_INSTRUCTION = `join lateral (
     select * from mandates where merchant_id = $merchantId and id = charges.mandate_id offset 0) mandates on true
   join lateral (
     select * from cards where merchant_id = $merchantId and id = mandates.card_id offset 0) cards on true`

// The mandate of a purchase is in the row of its charge (ADR 0080), and is read here as one of `mandates` would be.
// Which there are is in `approvals`, whose rows outlast the evidence.

const { frequency, merchantScope, maxCharges } = ONE_PAYMENT

/** A select list: what the network must know of a mandate, from the table of standing ones. */
const TOLD = `id, customer_id, card_id, approved_minor, currency, frequency, max_charges, merchant_scope, payee_name,
       payee_network_name, payee_url, payee_country, valid_until, approval_hash, seal, instruction_ref, status` as const

/** The same from `charges` that are purchases. */
const TOLD_OF_PURCHASE =
  `charges.mandate_id as id, charges.customer_id, charges.card_id, charges.amount_minor as approved_minor,
       charges.currency, '${frequency}' as frequency, ${maxCharges} as max_charges, '${merchantScope}' as merchant_scope,
       charges.payee_name, charges.payee_network_name, charges.payee_url, charges.payee_country, charges.valid_until,
       charges.approval_hash, charges.mandate_seal as seal, charges.instruction_ref, charges.mandate_status as status` as const

const JOIN_CARD = `join lateral (
     select * from cards where merchant_id = $merchantId and id = mandates.card_id offset 0) cards on true` as const

/** Joins `mandates` and `cards`, as `JOIN_INSTRUCTION` does, to `charges` that are purchases. */
export const JOIN_PURCHASE_INSTRUCTION = `cross join lateral (select ${TOLD_OF_PURCHASE}) mandates
   ${JOIN_CARD}` as const

/** The same to `charges` of either kind. */
export const JOIN_ANY_INSTRUCTION = `join lateral (
     select ${TOLD} from mandates
     where merchant_id = $merchantId and id = charges.mandate_id and charges.standing_mandate_id is not null
     union all
     select ${TOLD_OF_PURCHASE} where charges.standing_mandate_id is null
     offset 0) mandates on true
   ${JOIN_CARD}` as const

/** Joins the `charges` of purchases to `approvals`. */
export const JOIN_PURCHASE = `join lateral (
     select * from charges where merchant_id = $merchantId and id = approvals.charge_id offset 0) charges on true` as const

/** A SELECT: the purchase whose mandate has the id that is `id`, SQL. */
export const purchaseOf = <const Columns extends string, const Id extends string>(columns: Columns, id: Id) =>
  `select ${columns} from approvals ${JOIN_PURCHASE}
     where approvals.merchant_id = $merchantId and approvals.mandate_id = ${id}` as const

/** CTE `mandate`: locks the standing mandate of a charge, before the charge's own row is locked, as everywhere. */
export const LOCK_MANDATE = `mandate as materialized (
     select id from mandates where merchant_id = $merchantId and id = $mandateId for no key update
   )`

const OF_CHANGED = 'from changed where mandates.merchant_id = $merchantId and mandates.id = $mandateId'

/**
 * CTE `consumed`: a standing mandate for one payment was paid, if `changed` has a row. It ends with an event of its
 * own.
 */
export const CONSUME_STANDING = `consumed as (
     update mandates set status = 'consumed', ended_at = $at, version = mandates.version + 1, updated_at = $at ${OF_CHANGED}
       and mandates.status in (${originList(MANDATE_TRANSITIONS, 'consumed')})
     returning mandates.id
   )` as const

/** Conditions on a standing mandate: it may be charged `$amountMinor` now, in the window that its row knows. */
export const CHARGEABLE = `status = 'active' and valid_until > $at and instruction_ref is not null
       and order_id is not null and (window_ends_at is null or window_ends_at > $at)
       and (max_charges is null or charge_count < max_charges) and window_spent_minor + $amountMinor::bigint <= approved_minor` as const

const takenFrom = <const From extends string>(from: From) =>
  `charge_count = ${from}.charge_count + 1, window_spent_minor = ${from}.window_spent_minor + $amountMinor, updated_at = $at` as const

/** CTE `taken`: amount and count of a charge are in the window of its mandate, if `condition` holds of that. */
export const takeFromMandate = <const Condition extends string>(condition: Condition) =>
  `taken as (
     update mandates set ${takenFrom('mandates')}
     where merchant_id = $merchantId and id = $mandateId and ${condition} returning *
   )` as const

/**
 * CTE `taken`: the same of a mandate that is `locked`, if `spent` has a row. What is taken is counted from the locked
 * row, not from the one that is updated, which PostgreSQL knows as it was when the statement began, until it sees that
 * there is a later one.
 */
export const TAKE_FROM_LOCKED = `taken as (
     update mandates set ${takenFrom('locked')} from locked
     where mandates.merchant_id = $merchantId and mandates.id = $mandateId and exists (select 1 from spent)
     returning mandates.*
   )` as const

/**
 * An UPDATE: the window that began at `$windowFrom` is over, and the next one begins. A clock that was set back between
 * two questions would name the same window again, or one before it, with nothing spent in it: so only one that begins
 * where the known one ends, or later, follows it.
 */
export const NEXT_WINDOW = `update mandates set window_started_at = $windowStartsAt, window_ends_at = $windowEndsAt,
     window_spent_minor = 0, updated_at = $at
   where merchant_id = $merchantId and id = $mandateId and window_started_at = $windowFrom
     and $windowStartsAt >= window_ends_at` as const

/**
 * CTE `given_back`: amount and count of a charge, if `changed` has a row. An amount goes back to the window that it was
 * taken from only: one that is over has nothing to give.
 */
export const GIVE_BACK_TO_MANDATE = `given_back as (
     update mandates set updated_at = $at, charge_count = mandates.charge_count - 1,
       window_spent_minor = mandates.window_spent_minor
         - case when mandates.window_started_at = changed.window_started_at then changed.amount_minor else 0 end
     ${OF_CHANGED}
   )` as const

/**
 * An UPDATE: what a charge counts for has changed by `$changeMinor`. Only the window that it was taken from follows:
 * one that is over has nothing to give. It may come to be above the cap.
 */
export const FOLLOW_IN_WINDOW =
  `update mandates set updated_at = $at, window_spent_minor = window_spent_minor + $changeMinor
   where merchant_id = $merchantId and id = $mandateId and window_started_at = $windowStartedAt` as const
