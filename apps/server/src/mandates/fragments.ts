import { MERCHANT_SCOPES, RECURRING_FREQUENCIES } from '@mintmark/contract'
import { bigint, bytes, int, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { openWork } from '../jobs/fragments.ts'
import { originList } from '../platform/states.ts'
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

/** The select list of `INSTRUCTION`, from `mandates`; `tokenRef` is SQL. */
export const instructionColumns = <const TokenRef extends string>(tokenRef: TokenRef) =>
  `mandates.id as mandate_id, mandates.customer_id as mandate_customer_id, ${tokenRef} as token_ref,
  mandates.approved_minor, mandates.currency as mandate_currency, mandates.frequency, mandates.max_charges,
  mandates.merchant_scope, mandates.payee_name as mandate_payee_name,
  mandates.payee_network_name as mandate_network_name, mandates.payee_url as mandate_payee_url,
  mandates.payee_country as mandate_payee_country, mandates.valid_until, mandates.approval_hash,
  mandates.seal as mandate_seal, mandates.instruction_ref` as const
/** The same from `mandates` and the `cards` they are bound to. */
export const INSTRUCTION_COLUMNS = instructionColumns('cards.network_token_ref')

/**
 * Joins `mandates` and `cards` to `charges`. Lateral, with an OFFSET that keeps it so: a plan that was made while the tables
 * were empty would otherwise read all mandates and cards of the merchant for each row.
 */
export const JOIN_INSTRUCTION = `join lateral (
     select * from mandates where merchant_id = $merchantId and id = charges.mandate_id offset 0) mandates on true
   join lateral (
     select * from cards where merchant_id = $merchantId and id = mandates.card_id offset 0) cards on true`

/**
 * Whether the card of `mandates` was deleted, which ends what was minted with it: SQL, with the `cards` that it is bound to. One that was
 * enrolled anew since is another card to the network.
 */
export const IS_CARD_DELETED =
  `mandates.status = 'cancelled' and (cards.status <> 'active' or cards.accepted_at > mandates.ended_at)` as const

/** CTE `made`: the one-time mandate of an ordinary checkout; refused where `minting` has no row. */
export const MAKE_MANDATE = `made as (
     insert into mandates (merchant_id, id, customer_id, card_id, charge_id, per_checkout, status, frequency, merchant_scope,
       payee_name, payee_network_name, payee_url, payee_country, approved_minor, currency, max_charges, valid_until,
       approval_hash, seal, created_at, agent_id)
     values ($merchantId, (select $mandateId from minting), $customerId, $cardId, $chargeId, $perCheckout, 'pending', $frequency, $merchantScope, $payeeName,
       $payeeNetworkName, $payeeUrl, $payeeCountry, $amountMinor, $currency, $maxCharges, $validUntil,
       $approvalHash, $mandateSeal, $at, $agentId)
   )` as const

/** CTE `mandate`: locks the mandate of a charge, before the charge's own row is locked, here as everywhere. */
export const LOCK_MANDATE = `mandate as materialized (
     select id, customer_id from mandates where merchant_id = $merchantId and id = $mandateId for no key update
   )`

const OF_CHANGED = 'from changed where mandates.merchant_id = $merchantId and mandates.id = $mandateId'

/** CTE `activated`: the network registered the instruction of a checkout and minted, if `changed` has a row. */
export const ACTIVATE_MANDATE = `activated as (
     update mandates set status = 'active', instruction_ref = $instructionRef, activated_at = $at ${OF_CHANGED}
       and mandates.status in (${originList(MANDATE_TRANSITIONS, 'active', ['pending'])})
   )` as const

/** CTE `consumed`: a checkout was paid, if `changed` has a row. Its mandate ends with it, without an event of its own. */
export const CONSUME_MANDATE = `consumed as (
     update mandates set status = 'consumed', ended_at = $at ${OF_CHANGED}
       and mandates.status in (${originList(MANDATE_TRANSITIONS, 'consumed')}) and mandates.per_checkout
   )` as const

/**
 * CTEs `cancelled` and `cancelling`: a checkout came to nothing, if `changed` has a row. Its mandate ends with it, and the work
 * begins to tell the network, which does not know.
 */
export const CANCEL_MANDATE = `cancelled as (
     update mandates set status = 'cancelled', ended_at = $at ${OF_CHANGED}
       and mandates.status in (${originList(MANDATE_TRANSITIONS, 'cancelled')}) and mandates.per_checkout
     returning mandates.id
   ), cancelling as (
     ${openWork('mandate', 'cancelled', '$at')}
   )` as const

/** CTE `consumed`: a standing mandate for one payment was paid, if `changed` has a row. It ends with an event of its own. */
export const CONSUME_STANDING = `consumed as (
     update mandates set status = 'consumed', ended_at = $at, version = mandates.version + 1, updated_at = $at ${OF_CHANGED}
       and mandates.status in (${originList(MANDATE_TRANSITIONS, 'consumed')})
     returning mandates.id
   )` as const

/**
 * CTE `given_back`: amount and count of a charge, if `changed` has a row. An amount goes back to the window that it was taken from only: one
 * that is over has nothing to give. Nor has what was emptied by hand: below zero there would be room beyond the cap.
 */
export const GIVE_BACK_TO_MANDATE = `given_back as (
     update mandates set updated_at = $at, charge_count = greatest(0, mandates.charge_count - 1),
       window_spent_minor = greatest(0, mandates.window_spent_minor
         - case when mandates.window_started_at = changed.window_started_at then changed.amount_minor else 0 end)
     ${OF_CHANGED}
   )` as const
