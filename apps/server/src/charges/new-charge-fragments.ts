// The row of a charge against a standing mandate.

/** Columns of a new charge, from a mandate: what the charge does not name is as its setup named it. */
export const NEW_CHARGE = `merchant_id, id, line_item_id, order_id, external_order_ref, mandate_id, standing_mandate_id, reference,
       card_id, amount_minor, currency, payee_name, payee_network_name, payee_url, payee_country, payee_category_code,
       payee_category, products, life_minutes, version, created_at, updated_at, agent_id`
export const NEW_CHARGE_VALUES = `$merchantId, $chargeId, $lineItemId, order_id, external_order_ref, id, id, $reference,
       card_id, $amountMinor, currency, coalesce($payeeName, payee_name), coalesce($payeeNetworkName, payee_network_name),
       coalesce($payeeUrl, payee_url), coalesce($payeeCountry, payee_country),
       coalesce($payeeCategoryCode, case when $payeeUrl::text is null then payee_category_code end),
       coalesce($payeeCategory, case when $payeeUrl::text is null then payee_category end),
       case when $products::jsonb = '[]' then coalesce(products, '[]') else $products::jsonb end, $lifeMinutes::integer, 1, $at, $at, agent_id` as const
