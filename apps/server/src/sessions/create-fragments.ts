import { NOT_HELD } from '../checkout/quotes/fragments.ts'
import { takeAllowance } from '../merchants/fragments.ts'

// Parts of the statements that create sessions, one for each kind. Creation is one round trip, and nothing is written
// unless `admitted` has a row.

/**
 * CTEs `account`, `card`, `refusal`, `allowance` and `admitted`: whether the merchant may create this session. Needs
 * `known` before it. The allowance is checked and lowered in one predicate, so that the last one is given once, however
 * many ask at the same time; no row of it means unlimited.
 */
const authorize = <const Further extends string>(further: Further) =>
  `account as (
     select status, network_profile from merchants where id = $merchantId
   ), card as (
     select status from cards
     where merchant_id = $merchantId and id = $cardId::text and customer_id = (select id from known) and once_sessions is null
   ), refusal as (
     select case
       when not exists (select 1 from account where status = 'active') then 'MERCHANT_LOOKUP_ERROR'
       when not exists (select 1 from account where network_profile is not null) then 'CONFIG_ERROR'
       when $cardId::text is not null and not exists (select 1 from card) then 'CARD_NOT_FOUND'
       when $cardId::text is not null and not exists (select 1 from card where status = 'active') then 'CARD_INACTIVE'
       when $cardId::text is null and $vaultRecordId::uuid is not null and not exists (
         select 1 from vault_records
         where merchant_id = $merchantId and id = $vaultRecordId::uuid and added_by = 'merchant') then 'CARD_NOT_FOUND'
       ${further}
     end as code
   ), ${takeAllowance('(select code from refusal) is null')}, admitted as (
     select 1 as yes where (select code from refusal) is null
       and (exists (select 1 from allowance)
         or not exists (select 1 from session_allowances where merchant_id = $merchantId))
   )` as const
export const AUTHORIZE = authorize('')
/** The same of a session that is built from a quote; needs `held` before it. */
export const AUTHORIZE_QUOTED = authorize(NOT_HELD)
/** The same of a session that an agent asks its owner for. */
const OF_ACTIVE_AGENT = "when not exists (select 1 from known) then 'AGENT_REVOKED'"
export const AUTHORIZE_AGENT = authorize(OF_ACTIVE_AGENT)
export const AUTHORIZE_QUOTED_AGENT = authorize(`${NOT_HELD} ${OF_ACTIVE_AGENT}`)

/**
 * CTE `admitted` alone, of the common case: no card is asked for beforehand, the merchant may create sessions, and any
 * number, and a customer who is known (`known`) is as given. Without a row nothing is written, and `AUTHORIZE` decides.
 * It asks three questions instead of eight, and changes neither allowance nor customer.
 */
export const AUTHORIZE_PLAIN = `admitted as (
     select 1 as yes from merchants
     where id = $merchantId and status = 'active' and network_profile is not null
       and not exists (select 1 from session_allowances where merchant_id = $merchantId)
       and not exists (select 1 from known where not as_given)
   )`

/** What comes back: why nothing was created, or whose session it is. */
export const CREATED = `select coalesce((select code from refusal),
     case when not exists (select 1 from admitted) then 'TRIES_EXHAUSTED' end) as refusal,
     (select customer_id from session) as customer_id`
