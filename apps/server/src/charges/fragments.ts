import {
  CHARGE_STATUSES,
  CONFIRMATIONS,
  PAYMENT_FAILURE_CODES,
  REPORTED_OUTCOMES,
  type StoredProduct,
} from '@mintmark/contract'
import { bool, bytes, json, nullable, oneOf, text, time } from '../db/row.ts'

// What others show of a charge, in a statement of theirs.

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
  /** The result of such a purchase is shown as paid. */
  simulated: bool,
}

/** The select list of `SHOWN_CHARGE`, from `charges s`: a purchase and its session are one row. */
export const SHOWN_CHARGE_COLUMNS = `s.id as charge_id, s.line_item_id, s.seal as charge_seal, s.status as charge_status,
  s.failure_code as failure, s.products, s.credential_sealed, s.credential_key_id, s.reported_outcome, s.network_confirmation,
  s.lapses_at, s.quote_id, s.simulated`
