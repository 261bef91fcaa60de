// Parts of statements that must be one round trip with something else: a session and its customer are made together.

/**
 * A value: the id of the merchant's customer by its own `user_id`, or else by ours; null: there is none. In this order, because people may
 * choose their `user_id` themselves: one who takes another's id for a name gets at what is their own, and never at the other's.
 */
export const namedCustomer = <const Name extends string>(name: Name) =>
  `coalesce(
     (select id from customers where merchant_id = $merchantId and external_user_id = ${name}),
     (select id from customers where merchant_id = $merchantId and id = ${name}))` as const

/** CTE `known`: the id of the merchant's customer with this `user_id`. */
export const KNOWN_CUSTOMER = `known as (
     select id from customers where merchant_id = $merchantId and external_user_id = $userId
   )`

const AS_GIVEN = '(coalesce($email, email), coalesce($phone, phone), coalesce($country, country))'

/** CTE `known`, as above, and whether the customer's particulars are `as_given`. */
export const KNOWN_AS_GIVEN = `known as (
     select id, (email, phone, country) is not distinct from ${AS_GIVEN} as as_given
     from customers where merchant_id = $merchantId and external_user_id = $userId
   )` as const

/**
 * CTE `added`: the customer of this `user_id`, if there is none and `admitted` has a row. A customer that two requests add
 * at the same time is added by one of them (unique index); ON CONFLICT gives the other the same row. Needs `known` and
 * `admitted` before it.
 */
export const ADD_CUSTOMER = `added as (
     insert into customers (merchant_id, id, external_user_id, email, phone, country, created_at, updated_at)
     select $merchantId, $newCustomerId, $userId, $email, $phone, $country, $at, $at
     from admitted where not exists (select 1 from known)
     on conflict (merchant_id, external_user_id) do update set email = excluded.email, updated_at = excluded.updated_at
     returning id
   )`

/**
 * CTEs `added`, as above, and `changed`: a customer who is known is brought up to date, if `admitted` has a row. Not one who was
 * erased while this waited for the row: what was forgotten is not written again.
 */
export const UPSERT_CUSTOMER = `${ADD_CUSTOMER}, changed as (
     update customers set email = coalesce($email, email), phone = coalesce($phone, phone), country = coalesce($country, country),
       updated_at = $at
     from admitted
     where merchant_id = $merchantId and id = (select id from known) and external_user_id = $userId
       and (email, phone, country) is distinct from ${AS_GIVEN}
   )` as const

/** The id of the customer that the CTEs above found or added. */
export const CUSTOMER_ID = 'coalesce((select id from known), (select id from added))'

/** An INSERT of a person who has no address yet; `name` is SQL: what they are called. */
export const insertNamed = <const Id extends string, const Name extends string>(id: Id, name: Name) =>
  `insert into customers (merchant_id, id, external_user_id, email, created_at, updated_at)
     values ($merchantId, ${id}, ${name}, '', $at, $at)` as const

/** The end of `insertNamed`, where a customer of that name is the one that is meant. */
export const OR_KNOWN_NAME =
  'on conflict (merchant_id, external_user_id) do update set updated_at = excluded.updated_at' as const
