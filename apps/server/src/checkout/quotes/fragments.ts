// Parts of the statement that builds a session from a quote: the quote is claimed together with everything that is made of it.

/**
 * CTE `held`: the quote, locked, while it can be used. One of several sessions at the same moment finds it; the others wait for that one
 * here, look again at what it left, and have no row.
 */
export const HOLD_QUOTE = `held as materialized (
     select id from quotes
     where merchant_id = $merchantId and id = $quoteId and session_id is null and expires_at > $at
     for no key update
   )`

/** Why nothing is created, where `held` has no row: everything else was looked at before. A case of `refusal`. */
export const NOT_HELD = `when not exists (select 1 from held) then 'QUOTE_ALREADY_USED'`

/** CTE `claimed`: the quote is this session's and its customer's for good, if `session` has a row. */
export const CLAIM_QUOTE = `claimed as (
     update quotes set session_id = $sessionId, customer_id = (select customer_id from session)
     where merchant_id = $merchantId and id = $quoteId and exists (select 1 from session)
   )`

/** SQL: until when the quote of `charges c` is good, if it has one. */
export const QUOTE_END = 'select expires_at from quotes where merchant_id = $merchantId and id = c.quote_id'

/** CTE `quote`: the quotes whose `quote_id` a CTE has are deleted. */
export const deleteQuotes = <const Cte extends string>(cte: Cte) =>
  `quote as (
     delete from quotes where merchant_id = $merchantId and id = any (array(select quote_id from ${cte} where quote_id is not null))
   )` as const
