import { bool, columns, int, nullable, text } from '../db/row.ts'
import { many, one } from '../db/statement.ts'
import { RETIRE_OF_ERASED } from '../passkeys/fragments.ts'
import { namedCustomer } from './fragments.ts'

/** A customer by the merchant's own `user_id`, or else by our id. One row; null in it: there is no such customer. */
export const findCustomerId = one('customers.find_id', `select ${namedCustomer('$name')} as id`, { id: nullable(text) })

/** The customers that a name may mean: one by the merchant's `user_id`, and another one by our id. */
export const listNamed = many(
  'customers.list_named',
  `select id from customers where merchant_id = $merchantId and external_user_id = $name
   union
   select id from customers where merchant_id = $merchantId and id = $name`,
  { id: text },
)

const OPEN = { cards: bool, enteredCards: bool, mandates: bool, setups: bool, sessions: bool }

/** CTE `open`: what of a customer has still to end. */
const OPEN_OF_CUSTOMER = `own_cards as materialized (
     select status from cards where merchant_id = $merchantId and customer_id = $customerId and status <> 'deleted'
   ), own_mandates as materialized (
     select status from mandates where merchant_id = $merchantId and customer_id = $customerId and not per_checkout
       and status in ('pending', 'active', 'paused')
   ), open as materialized (
     select
       exists (select 1 from own_cards where status = 'active') as cards,
       exists (select 1 from own_cards where status <> 'active') as entered_cards,
       exists (select 1 from own_mandates where status <> 'pending') as mandates,
       exists (select 1 from own_mandates where status = 'pending') as setups,
       exists (select 1 from sessions where merchant_id = $merchantId and customer_id = $customerId and closed_at is null
         and version > 0) as sessions
   )` as const

/** What of a customer has still to end. */
export const findOpen = one('customers.find_open', `with ${OPEN_OF_CUSTOMER} select ${columns(OPEN)} from open`, OPEN)

/**
 * Takes who the customer is from the row, unless something of theirs has still to end: then it says what. The merchant's name for them
 * may be an address as well, and gives way to one of ours, which is no `user_id` of another customer, as our bare id might be. Their
 * passkey is retired: what they sign at the same moment, such as the link of an agent, waits here
 * and is nothing then, or is there for the statements behind this one. That something else is begun at the same moment is not kept out: the
 * creation of a session need not lock its customer. It is looked for afterwards.
 */
export const eraseCustomer = one(
  'customers.erase',
  `with ${OPEN_OF_CUSTOMER}, erased as (
     update customers set external_user_id = 'erased:' || id, email = '', phone = null, country = null, updated_at = $at
     where merchant_id = $merchantId and id = $customerId
       and not (select cards or entered_cards or mandates or setups or sessions from open)
     returning id
   ), ${RETIRE_OF_ERASED}
   select ${columns(OPEN)} from open`,
  OPEN,
)

/** The next version of a customer who has a passkey, whose row is locked with it. None: there is no passkey. */
export const updateVersion = one(
  'customers.update_version',
  `update customers set version = version + 1
   where merchant_id = $merchantId and id = $customerId and exists (select 1 from passkeys
     where merchant_id = $merchantId and customer_id = $customerId and retired_at is null)
   returning version`,
  { version: int },
)
