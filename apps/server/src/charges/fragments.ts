import {
  CHARGE_STATUSES,
  CONFIRMATIONS,
  PAYMENT_FAILURE_CODES,
  REPORTED_OUTCOMES,
  type StoredProduct,
} from '@mintmark/contract'
import { bool, bytes, json, nullable, oneOf, text, time } from '../db/row.ts'

// Parts of statements that must be one round trip with something else: a purchase and its charge are made together, and
// a purchase is shown together with its charge.

/** CTE `charge`: a charge that waits for its approval, if `admitted` has a row. */
const insertCharge = <const Names extends string, const Values extends string>(names: Names, values: Values) =>
  `charge as (
     insert into charges (merchant_id, id, line_item_id, order_id, external_order_ref, opened_by, status, amount_minor,
       currency, payee_name, payee_network_name, payee_url, payee_country, payee_category_code, payee_category, products, version,
       created_at, updated_at${names})
     select $merchantId, $chargeId, $lineItemId, $orderId, $externalOrderRef, $openedBy, 'initiated', $amountMinor,
       $currency, $payeeName, $payeeNetworkName, $payeeUrl, $payeeCountry, $payeeCategoryCode, $payeeCategory, $products::jsonb, 1, $at, $at${values}
     from admitted
     returning id
   )` as const
export const INSERT_CHARGE = insertCharge('', '')
/** The same of what the service itself buys at a shop. */
export const INSERT_QUOTED_CHARGE = insertCharge(', quote_id, simulated', ', $quoteId, $simulated')

/** What is shown of a charge, beside the columns of what shows it. */
export const SHOWN_CHARGE = {
  chargeId: text,
  lineItemId: text,
  chargeSeal: nullable(bytes),
  chargeStatus: oneOf(CHARGE_STATUSES),
  failure: nullable(oneOf(PAYMENT_FAILURE_CODES)),
  products: json<StoredProduct[]>(),
  credentialSealed: nullable(bytes),
  credentialKeyId: nullable(text),
  reportedOutcome: nullable(oneOf(REPORTED_OUTCOMES)),
  networkConfirmation: nullable(oneOf(CONFIRMATIONS)),
  /** When the credential may no longer be used, unless it was reported. */
  lapsesAt: nullable(time),
  /** The quote of a purchase that the service itself makes at a shop; null: its merchant does. */
  quoteId: nullable(text),
  /** For such a purchase: its result is shown as paid. */
  simulated: bool,
}

/** The select list of `SHOWN_CHARGE`, from `charges c`. */
export const SHOWN_CHARGE_COLUMNS = `c.id as charge_id, c.line_item_id, c.seal as charge_seal, c.status as charge_status,
  c.failure_code as failure, c.products, c.credential_sealed, c.credential_key_id, c.reported_outcome, c.network_confirmation,
  c.lapses_at, c.quote_id, c.simulated`

/**
 * Joins `charges c` to `sessions s`, or to another table that points at a charge. Lateral, with an OFFSET that keeps it
 * so: a plan that was made while the tables were empty would otherwise read all charges of the merchant for each row.
 */
export const JOIN_CHARGE = `join lateral (
     select * from charges where merchant_id = $merchantId and id = s.charge_id offset 0) c on true`
