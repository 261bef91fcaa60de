import { execute } from '../db/statement.ts'

/** 0: there is one of this holder, kind, currency and part already. */
export const insertAccount = execute(
  'ledger.insert_account',
  `insert into ledger_accounts
     (merchant_id, id, kind, holder_id, part, currency, balance_minor, may_be_negative, created_at, updated_at, seal)
   values ($merchantId, $accountId, $kind, $holderId, $part, $currency, 0, $mayBeNegative, $at, $at, $seal)
   on conflict do nothing`,
)
