import { CUSTOMER_ID } from '../customers/fragments.ts'

// The row of a purchase (ADR 0080): what its cardholder may do for a time, and the charge that waits for their
// approval.

const insertCharge = <const Names extends string, const Values extends string>(names: Names, values: Values) =>
  `insert into charges (merchant_id, id, opened_by, customer_id, line_item_id, order_id, external_order_ref, status, amount_minor,
       currency, payee_name, payee_network_name, payee_url, payee_country, payee_category_code, payee_category, products,
       integration_type, callback_url, description, summary, effective_minutes, preselected_vault_record_id, card_id, locale,
       launch_hash, expires_at, session_version, version, created_at, updated_at${names})
     select $merchantId, $chargeId, $sessionId, ${CUSTOMER_ID}, $lineItemId, $orderId, $externalOrderRef, 'initiated', $amountMinor,
       $currency, $payeeName, $payeeNetworkName, $payeeUrl, $payeeCountry, $payeeCategoryCode, $payeeCategory, $products::jsonb,
       $integrationType, $callbackUrl, $description, $summary::jsonb, $effectiveMinutes,
       case when $cardId::text is null then $vaultRecordId::uuid end, $cardId, $locale, $launchHash, $expiresAt, 1, 1, $at, $at${values}
     from admitted
     returning customer_id` as const
const QUOTED = [', quote_id, simulated', ', $quoteId, $simulated'] as const
const OF_AGENT = [
  ', asking_agent_id, asking_agent_name, asking_agent_seal',
  ', $agentId, $agentName, $agentSeal::bytea',
] as const

/** An INSERT: a purchase of the customer that the CTEs before it found or made, if `admitted` has a row. */
export const INSERT_CHARGE = insertCharge('', '')
/** The same of what the service itself buys at a shop. */
export const INSERT_QUOTED_CHARGE = insertCharge(...QUOTED)
/** The same where an agent has asked its owner for it. */
export const INSERT_CHARGE_OF_AGENT = insertCharge(...OF_AGENT)
export const INSERT_QUOTED_CHARGE_OF_AGENT = insertCharge(`${QUOTED[0]}${OF_AGENT[0]}`, `${QUOTED[1]}${OF_AGENT[1]}`)
