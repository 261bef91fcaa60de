import {
  CHARGE_STATUSES,
  CONFIRMATIONS,
  PAYMENT_FAILURE_CODES,
  REPORTED_OUTCOMES,
  type StoredProduct,
} from '@mintmark/contract'
import { bigint, bool, bytes, columns, json, nullable, oneOf, type RowOf, text, time } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { FREE } from '../jobs/due.ts'
import { leaseWork } from '../jobs/fragments.ts'
import { JOIN_INSTRUCTION } from '../mandates/fragments.ts'
import { WORK, WORK_COLUMNS } from './work-fragments.ts'

// Charges against standing mandates, as they are read. `open-store.ts` has how they begin, `standing-ends-store.ts` how they end.

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
  merchantActive: bool,
}
/** A charge against a standing mandate, as it is. */
export type StandingCharge = RowOf<typeof SHOWN>
const SHOWN_COLUMNS = `charges.status as charge_status, charges.failure_code as failure, ${columns(PLAIN, 'charges')},
     mandates.instruction_ref, mandates.currency as mandate_currency, mandates.payee_url as mandate_payee_url,
     (select status = 'active' from merchants where id = $merchantId) as merchant_active` as const
const JOIN_MANDATE = `join lateral (
     select * from mandates where merchant_id = $merchantId and id = charges.mandate_id offset 0) mandates on true`

export const findStanding = one(
  'charges.find_standing',
  `select ${SHOWN_COLUMNS} from charges ${JOIN_MANDATE}
   where charges.merchant_id = $merchantId and charges.id = $chargeId and charges.standing_mandate_id = $mandateId`,
  SHOWN,
)

/** The charge that a reference names now. */
export const findReferenced = one(
  'charges.find_referenced',
  `select ${SHOWN_COLUMNS} from charge_references named
   join lateral (select * from charges where merchant_id = $merchantId and id = named.charge_id offset 0) charges on true
   ${JOIN_MANDATE}
   where named.merchant_id = $merchantId and named.mandate_id = $mandateId and named.reference = $reference`,
  SHOWN,
)

/** Takes over a charge that the network has not answered, when it is due and no other process holds it. */
export const claimMinting = one(
  'charges.claim_minting',
  `with work as (
     ${leaseWork('charge', '$chargeId', '1', '')} and due_at <= $at and ${FREE}
     returning id, lease_fence, attempts
   )
   select ${WORK_COLUMNS} from work join lateral (
     select * from charges where merchant_id = $merchantId and id = work.id and status = 'minting' offset 0) charges on true
   ${JOIN_INSTRUCTION}`,
  WORK,
)
