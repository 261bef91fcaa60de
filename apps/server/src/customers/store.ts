import { nullable, text } from '../db/row.ts'
import { one } from '../db/statement.ts'

/** A customer by the merchant's own `user_id`, or else by our id. One row; null in it: there is no such customer. */
export const findCustomerId = one(
  'customers.find_id',
  `select coalesce(
     (select id from customers where merchant_id = $merchantId and external_user_id = $name),
     (select id from customers where merchant_id = $merchantId and id = $name)) as id`,
  { id: nullable(text) },
)
