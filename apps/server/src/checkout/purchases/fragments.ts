import { nullable, oneOf, text, time } from '../../db/row.ts'
import { openWork } from '../../jobs/fragments.ts'
import { PURCHASE_STATES } from './states.ts'

// Parts of statements about purchases: an approval opens one, and a session is shown with its own.

/** The end of a statement: the purchase of the charge of `minting`, and its work, for the worker that comes first; refused where `minting` has no row. */
export const INSERT_PURCHASE = `bought as (
     insert into purchases (merchant_id, charge_id, quote_id, shop_id, shop_ref, state, seal, created_at, updated_at)
     select $merchantId, (select id from minting), $quoteId, $shopId, $shopRef, 'pending', $purchaseSeal, $at, $at
     returning charge_id as id
   )
   ${openWork('purchase', 'bought', '$at')}
   returning id` as const

/** What is shown of a purchase with its session; all null: there is none. */
export const SHOWN_PURCHASE = {
  purchaseState: nullable(oneOf(PURCHASE_STATES)),
  purchaseUnknownSince: nullable(time),
  orderRef: nullable(text),
}
/** The select list of `SHOWN_PURCHASE`. */
export const SHOWN_PURCHASE_COLUMNS =
  'bought.state as purchase_state, bought.unknown_since as purchase_unknown_since, bought.order_ref' as const
/** The same of a payment that the service does not make. */
export const NO_PURCHASE_COLUMNS =
  'null::text as purchase_state, null::timestamptz as purchase_unknown_since, null::text as order_ref' as const
/** Joins the purchase of `charges c`, once there is one. */
export const JOIN_SHOWN_PURCHASE = `left join lateral (
     select state, unknown_since, order_ref from purchases
     where merchant_id = $merchantId and charge_id = c.id offset 0) bought on true` as const

/** CTE `purchase`: the purchases of the charges whose `charge_id` a CTE has, with a `quote_id`, are deleted. */
export const deletePurchases = <const Cte extends string>(cte: Cte) =>
  `purchase as (
     delete from purchases
     where merchant_id = $merchantId and charge_id = any (array(select charge_id from ${cte} where quote_id is not null))
   )` as const
