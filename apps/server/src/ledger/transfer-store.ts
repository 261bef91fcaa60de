import { bigint, nullable, oneOf } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { MAX_IN_WALLET_MINOR } from './ref.ts'
import { MAX_MINOR } from './rules.ts'

/** What became of a transfer. Nothing but `done` has moved anything. */
export const VERDICTS = ['done', 'repeated', 'no_account', 'other_currency', 'insufficient', 'over_limit'] as const

/** What an account gets: the payer's loses it. */
const CHANGE = 'case id when $payerId then -$amountMinor::bigint else $amountMinor::bigint end'

/**
 * The one statement that moves money: it locks both accounts, judges, and writes the transfer, both balances and both entries, or
 * nothing. Each of any number of transfers at the same moment sees the balance that the one before it left, because it looks under
 * the lock.
 *
 * Locks: accounts that may not be negative, then those that all share, each by id: no two transfers wait for each other. The shared
 * ones last, because others wait for them.
 */
export const insertTransfer = one(
  'ledger.insert_transfer',
  `with parties as materialized (
     select id, currency, may_be_negative, balance_minor, ${CHANGE} as change_minor from ledger_accounts
     where merchant_id = $merchantId and id in ($payerId::uuid, $payeeId::uuid)
     order by may_be_negative, id
     for no key update
   ), judged as materialized (
     select case
       when count(*) < 2 then 'no_account'
       when bool_or(currency <> $currency) then 'other_currency'
       when bool_or(not may_be_negative and balance_minor + change_minor < 0) then 'insufficient'
       when bool_or(abs(balance_minor + change_minor) > case when may_be_negative then ${MAX_MINOR} else ${MAX_IN_WALLET_MINOR} end)
         then 'over_limit'
     end as refusal from parties
   ), transferred as (
     -- One transfer for one reason: the second of two with the same reference finds the first, and moves nothing.
     insert into ledger_transfers (merchant_id, id, currency, purpose, reference, created_at, seal)
     select $merchantId, $transferId, $currency, $purpose, $reference, $at, $seal from judged where refusal is null
     on conflict (merchant_id, purpose, reference) do nothing
     returning id
   ), moved as (
     update ledger_accounts set balance_minor = balance_minor + ${CHANGE.replace(' id ', ' ledger_accounts.id ')}, updated_at = $at
     from transferred
     where merchant_id = $merchantId and ledger_accounts.id in ($payerId::uuid, $payeeId::uuid)
     returning ledger_accounts.id, balance_minor
   ), entered as (
     insert into ledger_entries (merchant_id, transfer_id, account_id, currency, amount_minor)
     select $merchantId, $transferId, id, $currency, ${CHANGE} from moved
   )
   select coalesce(refusal, (select 'done' from transferred), 'repeated') as verdict,
     (select balance_minor from moved where id = $payerId) as payer_minor,
     (select balance_minor from moved where id = $payeeId) as payee_minor
   from judged`,
  { verdict: oneOf(VERDICTS), payerMinor: nullable(bigint), payeeMinor: nullable(bigint) },
)
