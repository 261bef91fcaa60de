import { MERCHANT_SCOPES, RECURRING_FREQUENCIES } from '@mintmark/contract'
import { bigint, int, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'

/** What the network must know of a mandate, as a part of the row of whatever is charged to it. */
export const INSTRUCTION = {
  mandateId: text,
  tokenRef: text,
  approvedMinor: bigint,
  mandateCurrency: text,
  frequency: oneOf(RECURRING_FREQUENCIES),
  maxCharges: nullable(int),
  merchantScope: oneOf(MERCHANT_SCOPES),
  mandatePayeeName: text,
  mandatePayeeUrl: text,
  mandatePayeeCountry: text,
  validUntil: time,
  approvalHash: text,
  /** Null until the network has registered the instruction. */
  instructionRef: nullable(text),
}
export type Instruction = RowOf<typeof INSTRUCTION>

/** The select list of `INSTRUCTION`, from `mandates` and the `cards` they are bound to. */
export const INSTRUCTION_COLUMNS = `mandates.id as mandate_id, cards.network_token_ref as token_ref,
  mandates.approved_minor, mandates.currency as mandate_currency, mandates.frequency, mandates.max_charges,
  mandates.merchant_scope, mandates.payee_name as mandate_payee_name, mandates.payee_url as mandate_payee_url,
  mandates.payee_country as mandate_payee_country, mandates.valid_until, mandates.approval_hash,
  mandates.instruction_ref`

/**
 * Joins `mandates` and `cards` to `charges`. Lateral, with an OFFSET that keeps it so: a plan that was made while the tables
 * were empty would otherwise read all mandates and cards of the merchant for each row.
 */
export const JOIN_INSTRUCTION = `join lateral (
     select * from mandates where merchant_id = $merchantId and id = charges.mandate_id offset 0) mandates on true
   join lateral (
     select * from cards where merchant_id = $merchantId and id = mandates.card_id offset 0) cards on true`
