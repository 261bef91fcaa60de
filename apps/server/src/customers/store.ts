import { bool, nullable, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { namedCustomer } from './fragments.ts'

/** A customer by the merchant's own `user_id`, or else by our id. One row; null in it: there is no such customer. */
export const findCustomerId = one('customers.find_id', `select ${namedCustomer('$name')} as id`, { id: nullable(text) })

/**
 * Takes who the customer is from the row, unless something of theirs has still to end: then it says what. The merchant's name for them
 * may be an address as well, and gives way to our own id. That something is begun at the same moment is not kept out: the verb is
 * repeated, by our id.
 */
export const eraseCustomer = one(
  'customers.erase',
  `with open as materialized (
     select
       exists (select from cards where merchant_id = $merchantId and customer_id = $customerId and status <> 'deleted') as cards,
       exists (select from mandates where merchant_id = $merchantId and customer_id = $customerId and not per_checkout
         and status in ('pending', 'active', 'paused')) as mandates,
       exists (select from sessions where merchant_id = $merchantId and customer_id = $customerId and closed_at is null
         and version > 0) as sessions
   ), erased as (
     update customers set external_user_id = id, email = '', phone = null, country = null, updated_at = $at
     where merchant_id = $merchantId and id = $customerId and not (select cards or mandates or sessions from open)
     returning id
   )
   select cards, mandates, sessions from open`,
  { cards: bool, mandates: bool, sessions: bool },
)
