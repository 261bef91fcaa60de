import { CURRENCIES } from '@mintmark/contract'
import { bigint, nullable, oneOf, time, uuid } from '../db/row.ts'

/** What is shown of an account, where there may be none. */
export const ACCOUNT_OR_NONE = {
  id: nullable(uuid),
  currency: nullable(oneOf(CURRENCIES)),
  balanceMinor: nullable(bigint),
  createdAt: nullable(time),
  updatedAt: nullable(time),
}

/** A lateral part: the wallets of a holder. */
export const walletsOf = <const Holder extends string>(holder: Holder) =>
  `lateral (
     select id, currency, balance_minor, created_at, updated_at from ledger_accounts
     where merchant_id = $merchantId and holder_id = ${holder} and kind = 'wallet' offset 0
   )` as const

/** A lateral part: the wallet of this id, if it is the holder's. */
export const walletOf = <const Id extends string, const Holder extends string>(id: Id, holder: Holder) =>
  `lateral (
     select id, currency, balance_minor, created_at, updated_at from ledger_accounts
     where merchant_id = $merchantId and id = ${id} and holder_id = ${holder} and kind = 'wallet' offset 0
   )` as const
