import type { RowOf } from '../db/row.ts'
import { execute, many } from '../db/statement.ts'
import { ACCOUNT, ACCOUNT_COLUMNS } from './fragments.ts'

export type AccountRow = RowOf<typeof ACCOUNT>

/** 0: there is one of this holder, kind, currency and part already. */
export const insertAccount = execute(
  'ledger.insert_account',
  `insert into ledger_accounts
     (merchant_id, id, kind, holder_id, part, currency, balance_minor, may_be_negative, created_at, updated_at)
   values ($merchantId, $accountId, $kind, $holderId, $part, $currency, 0, $mayBeNegative, $at, $at)
   on conflict do nothing`,
)

/** Accounts of a holder, the oldest first. */
export const listAccounts = many(
  'ledger.list_accounts',
  `select ${ACCOUNT_COLUMNS} from ledger_accounts
   where merchant_id = $merchantId and holder_id = $holderId and kind = $kind
   order by created_at, id`,
  ACCOUNT,
)
