import { text } from './row.ts'
import { many } from './statement.ts'

/** Merchants with keys of before `$before`. Operator's statement. */
export const listMerchantsWithOld = many(
  'idempotency.list_merchants_with_old',
  `select distinct merchant_id from (
     select merchant_id from idempotency_keys where created_at < $before order by created_at limit $limit) old`,
  { merchantId: text },
)

/** Deletes a page of a merchant’s keys of before `$before`. */
export const deleteOld = many(
  'idempotency.delete_old',
  // Materialized: a plan may run a subquery again, and would then delete more than the limit. By arrays: a join may
  // read all rows of the merchant. A pair that the arrays make up besides is old too, or stays.
  `with old as materialized (
     select operation, key from idempotency_keys
     where merchant_id = $merchantId and created_at < $before order by created_at limit $limit for update skip locked
   )
   delete from idempotency_keys
   where merchant_id = $merchantId and operation = any (array(select operation from old))
     and key = any (array(select key from old)) and created_at < $before
   returning key`,
  { key: text },
)
