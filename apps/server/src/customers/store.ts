import { nullable, text } from '../db/row.ts'
import { one } from '../db/statement.ts'

/**
 * Serialises what must not happen twice for one customer: a row that does not exist yet cannot be locked. NO KEY UPDATE
 * excludes the others as well as UPDATE does, but not the foreign-key checks of every new session and card of the customer.
 */
export const lockCustomer = one(
  'customers.lock',
  'select id from customers where merchant_id = $merchantId and id = $customerId for no key update',
  { id: text },
)

/** A customer by the merchant's own `user_id`, or else by our id. One row; null in it: there is no such customer. */
export const findCustomerId = one(
  'customers.find_id',
  `select coalesce(
     (select id from customers where merchant_id = $merchantId and external_user_id = $name),
     (select id from customers where merchant_id = $merchantId and id = $name)) as id`,
  { id: nullable(text) },
)
