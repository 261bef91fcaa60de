import { text } from '../../db/row.ts'
import { execute, one } from '../../db/statement.ts'

/** The next merchant that has carts abandoned before `$before`. Operator's statement. */
export const findMerchantWithOld = one(
  'carts.find_merchant_with_old',
  // By a list of all merchants behind it: one look at the index for each, up to the first that has any.
  `select merchant_id from wallet_carts
   where merchant_id = any (array(select id from merchants where id > $after)) and status = 'abandoned' and abandon_at < $before
   order by merchant_id limit 1`,
  { merchantId: text },
)

/**
 * Those of one merchant with what is in them, at most so many. Nothing leads out of that state, so what is read here
 * stays so; two workers take different ones.
 */
export const deleteAbandoned = execute(
  'carts.delete_abandoned',
  `with old as materialized (
     select id from wallet_carts
     where merchant_id = $merchantId and merchant_id >= $merchantId and status = 'abandoned' and abandon_at < $before
     order by abandon_at limit $limit for update skip locked
   ), lines as (
     delete from wallet_cart_lines where merchant_id = $merchantId and cart_id = any (array(select id from old))
   )
   delete from wallet_carts where merchant_id = $merchantId and id = any (array(select id from old))`,
)
