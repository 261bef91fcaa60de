import {
  CHARGE_STATUSES,
  CONFIRMATIONS,
  MANDATE_STATUSES,
  PAYMENT_FAILURE_CODES,
  REPORTED_OUTCOMES,
  type StoredProduct,
} from '@mintmark/contract'
import { bigint, bool, bytes, columns, json, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { FREE } from '../jobs/due.ts'
import { JOIN_INSTRUCTION } from '../mandates/fragments.ts'
import { WORK, WORK_COLUMNS } from './work-fragments.ts'

// How a charge against a standing mandate is read, and taken over from a caller that died.

const STANDING = {
  merchantId: text,
  id: text,
  mandateId: text,
  orderId: text,
  lineItemId: text,
  reference: nullable(text),
  chargeStatus: oneOf(CHARGE_STATUSES),
  failure: nullable(oneOf(PAYMENT_FAILURE_CODES)),
  amountMinor: bigint,
  currency: text,
  payeeUrl: text,
  products: json<StoredProduct[]>(),
  seal: nullable(bytes),
  deliveryShopId: nullable(text),
  deliverySessionId: nullable(text),
  credentialSealed: nullable(bytes),
  credentialKeyId: nullable(text),
  standingMandateId: nullable(text),
  lapsesAt: nullable(time),
  reportedOutcome: nullable(oneOf(REPORTED_OUTCOMES)),
  networkConfirmation: nullable(oneOf(CONFIRMATIONS)),
}
const { chargeStatus: _, failure: __, ...PLAIN } = STANDING
const SHOWN = {
  ...STANDING,
  instructionRef: nullable(text),
  mandateCurrency: text,
  mandatePayeeUrl: text,
  mandateStatus: oneOf(MANDATE_STATUSES),
  merchantActive: bool,
}
/** A charge against a standing mandate, as it is. */
export type StandingCharge = RowOf<typeof SHOWN>
const SHOWN_COLUMNS = `charges.status as charge_status, charges.failure_code as failure, ${columns(PLAIN, 'charges')},
     mandates.instruction_ref, mandates.currency as mandate_currency, mandates.payee_url as mandate_payee_url,
     mandates.status as mandate_status,
     (select status = 'active' from merchants where id = $merchantId) as merchant_active` as const
const JOIN_MANDATE = `join lateral (
     select * from mandates where merchant_id = $merchantId and id = charges.standing_mandate_id offset 0) mandates on true`

export const findStanding = one(
  'charges.find_standing',
  `select ${SHOWN_COLUMNS} from charges ${JOIN_MANDATE}
   where charges.merchant_id = $merchantId and charges.id = $chargeId and charges.standing_mandate_id = $mandateId`,
  SHOWN,
)

/** The charge that a reference names now. */
export const findReferenced = one(
  'charges.find_referenced',
  `select ${SHOWN_COLUMNS} from charges ${JOIN_MANDATE}
   where charges.merchant_id = $merchantId and charges.standing_mandate_id = $mandateId and charges.reference = $reference
     and charges.holds_reference`,
  SHOWN,
)

/** Takes over a charge that the network has not answered, when it is due and no other process holds it. */
export const claimMinting = one(
  'charges.claim_minting',
  `with charges as (
     update charges set lease_until = $leaseUntil, lease_fence = lease_fence + 1, attempts = attempts + 1
     where merchant_id = $merchantId and id = $chargeId and status = 'minting' and work_due_at <= $at and ${FREE}
     returning *
   )
   select ${WORK_COLUMNS} from charges ${JOIN_INSTRUCTION}`,
  WORK,
)
