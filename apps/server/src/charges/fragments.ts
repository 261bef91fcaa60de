import {
  CHARGE_STATUSES,
  type ChargeStatus,
  CONFIRMATIONS,
  PAYMENT_FAILURE_CODES,
  REPORTED_OUTCOMES,
} from '@mintmark/contract'
import { bigint, bool, bytes, json, nullable, oneOf, text, time } from '../db/row.ts'

// Parts of statements that must be one round trip with something else: a purchase and its charge are made together, and
// a purchase is shown together with its charge.

/** A product line as stored with its charge; `status` and `paid` come with the merchant's report. */
export interface StoredProduct {
  ref: string
  externalId: string | null
  name: string
  /** As the wire shows it, `"40.00"`. */
  unitPrice: string
  quantity: number
  status?: string
  paid?: string
}

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
  /** Of a credential: when it may no longer be used, unless it was reported. */
  lapsesAt: nullable(time),
  /** Of a purchase that the service itself makes at a shop; null: its merchant does. */
  quoteId: nullable(text),
  /** Of such a purchase: its result is shown as paid. */
  simulated: bool,
}

/** The select list of `SHOWN_CHARGE`, from `charges c`. */
export const SHOWN_CHARGE_COLUMNS = `c.id as charge_id, c.line_item_id, c.seal as charge_seal, c.status as charge_status,
  c.failure_code as failure, c.products, c.credential_sealed, c.credential_key_id, c.reported_outcome, c.network_confirmation,
  c.lapses_at, c.quote_id, c.simulated`

/**
 * Joins `charges c` to `sessions s`, or to another table that may point at a charge. Lateral, with an OFFSET that keeps it
 * so: a plan that was made while the tables were empty would otherwise read all charges of the merchant for each row.
 */
export const JOIN_CHARGE = `join lateral (
     select * from charges where merchant_id = $merchantId and id = s.charge_id offset 0) c on true`
/** The same where there may be none. */
export const JOIN_SHOWN_CHARGE = `left ${JOIN_CHARGE}` as const

/**
 * Joins the charge of a checkout to `mandates` that ended with a credential of which nobody said what became of it: its session was revoked
 * after the approval, so that it was given to nobody, or its time passed without a report.
 */
export const JOIN_ENDED_CHARGE = `left join lateral (
     select id from charges where merchant_id = $merchantId and id = mandates.charge_id
       and failure_code in ('SESSION_REVOKED', 'MANDATE_EXPIRED')
     offset 0) ended on true` as const

/** The newest charge of a mandate, in the row of the mandate. All null: there is none. */
export const LAST_CHARGE = {
  lastChargeStatus: nullable(oneOf(CHARGE_STATUSES)),
  lastChargeMinor: nullable(bigint),
  lastChargeReported: nullable(oneOf(REPORTED_OUTCOMES)),
  lastChargeAt: nullable(time),
}

/** The select list of `LAST_CHARGE`. */
export const LAST_CHARGE_COLUMNS = `last_charge.status as last_charge_status,
  last_charge.amount_minor as last_charge_minor, last_charge.reported_outcome as last_charge_reported,
  last_charge.updated_at as last_charge_at`

/**
 * The charges of `mandates`, newest first: the one of a checkout by its key, those of a standing mandate by the index on
 * (standing_mandate_id, created_at). Of the two parts one is always empty.
 */
const newest = <Most extends '1' | '$mostCharges'>(most: Most) =>
  `(select * from charges
       where charges.merchant_id = $merchantId and charges.id = mandates.charge_id)
     union all
     (select * from charges
       where charges.merchant_id = $merchantId and charges.standing_mandate_id = mandates.id
       order by charges.created_at desc, charges.id desc limit ${most})` as const

/** Joins the newest charge to `mandates`. */
export const JOIN_LAST_CHARGE = `left join lateral (${newest('1')}) last_charge on true` as const

/** A charge in the list of its mandate, as JSON has it: money and times are texts. */
export interface ListedCharge {
  id: string
  amount_minor: string
  currency: string
  status: ChargeStatus
  reference: string | null
  created_at: string
  /** What an agent's charge repeats of a moment before. */
  duplicate_of: string | null
}

/** Joins the newest charges of `mandates` as one value, `listed_charges`; at most `$mostCharges`. */
export const JOIN_LISTED_CHARGES = `cross join lateral (
     select coalesce(jsonb_agg(jsonb_build_object('id', id, 'amount_minor', amount_minor::text, 'currency', currency,
       'status', status, 'reference', reference, 'created_at', created_at,
       'duplicate_of', duplicate_of) order by created_at desc, id desc), '[]') as listed_charges
     from (select id, amount_minor, currency, status, reference, created_at, duplicate_of
       from (${newest('$mostCharges')}) charges) newest) listed` as const
