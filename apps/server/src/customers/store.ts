import { nullable, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { namedCustomer } from './fragments.ts'

/** A customer by the merchant's own `user_id`, or else by our id. One row; null in it: there is no such customer. */
export const findCustomerId = one('customers.find_id', `select ${namedCustomer('$name')} as id`, { id: nullable(text) })
