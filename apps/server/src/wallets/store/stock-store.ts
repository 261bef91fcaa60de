import { int, uuid } from '../../db/row.ts'
import { many } from '../../db/statement.ts'

/**
 * Takes all pieces, or none: then the rows say of which products there are too few, and how many there are. Two orders
 * of the last piece: the rows are locked first, in the order of their ids so that no two orders wait for each other,
 * and what is judged is what the order before has left. A product without a row has no stock.
 */
export const updateTaken = many(
  'stock.update_taken',
  `with wanted as (
     select * from unnest($productIds::uuid[], $quantities::integer[]) as wanted (product_id, quantity)
   ), stock as materialized (
     select product_id, quantity from wallet_stock
     where merchant_id = $merchantId and product_id = any ($productIds::uuid[])
     order by product_id for no key update
   ), short as materialized (
     select wanted.product_id, coalesce(stock.quantity, 0) as available
     from wanted left join stock on stock.product_id = wanted.product_id
     where coalesce(stock.quantity, 0) < wanted.quantity
   ), taken as (
     update wallet_stock set quantity = stock.quantity - wanted.quantity
     from wanted join stock on stock.product_id = wanted.product_id
     where wallet_stock.merchant_id = $merchantId and wallet_stock.product_id = any ($productIds::uuid[])
       and wallet_stock.product_id = wanted.product_id and not exists (select 1 from short)
   )
   select product_id, available from short order by product_id`,
  { productId: uuid, available: int },
)
