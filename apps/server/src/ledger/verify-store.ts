import { CURRENCIES } from '@mintmark/contract'
import { bigint, bool, bytes, columns, int, nullable, oneOf, type RowOf, text, uuid } from '../db/row.ts'
import { many, one } from '../db/statement.ts'
import { ACCOUNT_KINDS } from './ref.ts'

// The books are read in pages: each statement looks at a bounded number of rows, and so ends within the time that a
// statement has, however much there is. A page shows what is wrong in it, and its last row, whose `place` is how many
// it had.

/**
 * Until the end of the transaction rows are read in the order of an index. The server takes any account for one of
 * average length, for which it would rather gather all entries and sort them; the longest ones have millions.
 */
export const readInOrder = one(
  'ledger.read_in_order',
  `select set_config('enable_bitmapscan', 'off', true) as bitmaps`,
  { bitmaps: text },
)

/** The next merchant with accounts or entries, in the order of their ids. */
export const findNextMerchant = one(
  'ledger.find_next_merchant',
  `select merchant_id from (
     (select merchant_id from ledger_accounts where merchant_id > $after order by merchant_id limit 1)
     union all
     (select merchant_id from ledger_entries where merchant_id > $after order by merchant_id limit 1)
   ) found order by merchant_id limit 1`,
  { merchantId: text },
)

const BALANCE = { id: uuid, kind: oneOf(ACCOUNT_KINDS), currency: oneOf(CURRENCIES), balanceMinor: bigint }
export type Balance = RowOf<typeof BALANCE>

export const listBalances = many(
  'ledger.list_balances',
  `select ${columns(BALANCE)} from ledger_accounts
   where merchant_id = $merchantId and id > $after::uuid order by id limit $limit`,
  BALANCE,
)

/**
 * Accounts with what their first `$most` entries sum to, and how many those are. All of the page: they are summed up
 * once more. An account that everybody pays from has an entry of each payment there ever was, and no statement has the
 * time to sum a page of such.
 */
export const listAccountSums = many(
  'ledger.list_account_sums',
  `select account.id, account.kind, account.holder_id, account.part, account.currency, account.may_be_negative, account.seal,
     account.balance_minor, entries.count, entries.total::text as entries_minor
   from (
     select id, kind, holder_id, part, currency, may_be_negative, seal, balance_minor from ledger_accounts
     where merchant_id = $merchantId and id > $after::uuid order by id limit $limit
   ) account
   left join lateral (
     select count(*)::int as count, coalesce(sum(amount_minor), 0) as total
     from (
       select amount_minor from ledger_entries
       where merchant_id = $merchantId and account_id = account.id order by transfer_id limit $most
     ) entry offset 0
   ) entries on true
   order by account.id`,
  {
    id: uuid,
    kind: oneOf(ACCOUNT_KINDS),
    holderId: nullable(uuid),
    part: int,
    seal: bytes,
    currency: oneOf(CURRENCIES),
    mayBeNegative: bool,
    balanceMinor: bigint,
    count: int,
    entriesMinor: text,
  },
)

export type AccountSums = Awaited<ReturnType<typeof listAccountSums>>[number]

/** The next entries of one account: how many there are, what they sum to, and the transfer of the last one. */
export const sumEntries = one(
  'ledger.sum_entries',
  `with part as materialized (
     select transfer_id, amount_minor from ledger_entries
     where merchant_id = $merchantId and account_id = $accountId::uuid and transfer_id > $after::uuid
     order by transfer_id limit $limit
   )
   select count(*)::int as count, coalesce(sum(amount_minor), 0)::text as total_minor,
     (select transfer_id from part order by transfer_id desc limit 1) as last_id
   from part`,
  { count: int, totalMinor: text, lastId: nullable(uuid) },
)

/**
 * Transfers with what their entries say: how many there are and what they sum to, who pays, who gets, and how much. All
 * of the page: their seals are looked at, which no statement can.
 */
export const listTransferSums = many(
  'ledger.list_transfer_sums',
  `select transfer.id, transfer.currency, transfer.purpose, transfer.reference, transfer.seal, entries.count,
     entries.total::text as total_minor, entries.payer_id, entries.payee_id, entries.amount_minor,
     entries.count >= 2 and entries.total = 0 as agrees
   from (
     select id, currency, purpose, reference, seal from ledger_transfers
     where merchant_id = $merchantId and (id, currency) > ($after::uuid, $afterCurrency) order by id, currency limit $limit
   ) transfer
   left join lateral (
     select count(*)::int as count, coalesce(sum(amount_minor), 0) as total, max(amount_minor) as amount_minor,
       (array_agg(account_id order by amount_minor))[1] as payer_id, (array_agg(account_id order by amount_minor desc))[1] as payee_id
     from ledger_entries
     where merchant_id = $merchantId and transfer_id = transfer.id and currency = transfer.currency offset 0
   ) entries on true
   order by transfer.id, transfer.currency`,
  {
    ...{ id: uuid, currency: text, purpose: text, reference: uuid, seal: bytes, count: int, totalMinor: text },
    ...{ payerId: nullable(uuid), payeeId: nullable(uuid), amountMinor: nullable(bigint), agrees: bool },
  },
)

export type TransferSums = Awaited<ReturnType<typeof listTransferSums>>[number]

/** Entries whose transfer or account is not there, or is of another currency. */
export const listEntryOwners = many(
  'ledger.list_entry_owners',
  `with page as materialized (
     select transfer_id, account_id, currency, row_number() over (order by transfer_id, account_id)::int as place
     from ledger_entries
     where merchant_id = $merchantId and (transfer_id, account_id) > ($after::uuid, $afterAccountId::uuid)
     order by transfer_id, account_id limit $limit
   )
   select page.transfer_id, page.account_id, page.place, transfer.id is not null as has_transfer, account.id is not null as has_account
   from page
   left join lateral (
     select id from ledger_transfers where merchant_id = $merchantId and id = page.transfer_id and currency = page.currency offset 0
   ) transfer on true
   left join lateral (
     select id from ledger_accounts where merchant_id = $merchantId and id = page.account_id and currency = page.currency offset 0
   ) account on true
   where transfer.id is null or account.id is null or place = (select count(*) from page)
   order by place`,
  { transferId: uuid, accountId: uuid, place: int, hasTransfer: bool, hasAccount: bool },
)
