-- What:   a double-entry ledger: accounts, transfers, entries. The wallets of the wallet API are accounts of it.
-- Why:    a balance must be explained to the cent by what was paid in and out.
-- Impact: new tables; no lock on existing ones, no size.
-- Compatible with the previous release: yes, it does not know the tables.

-- Where money is. Its balance is kept beside the entries that it is the sum of: `mintmark ledger verify` compares.
create table ledger_accounts (
  merchant_id text not null,
  id uuid not null,
  -- wallet: a customer's, of their id. sales: what one shop has sold for. deposits: where the money of deposits comes from.
  kind text not null constraint ledger_accounts_kind_check check (kind = any ('{wallet,sales,deposits}')),
  -- Whose it is. Null: the merchant's own.
  holder_id uuid,
  -- An account that everybody pays from or to is several, so that not all payments wait for one row. A wallet has part 0 only.
  part smallint not null,
  currency text not null,
  balance_minor bigint not null,
  may_be_negative boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Over what it is and whose, not over what is in it: nobody without the root key can give a wallet to another customer.
  seal bytea not null,
  constraint ledger_accounts_pkey primary key (merchant_id, id),
  -- What entries name: an entry has the currency of its account.
  constraint ledger_accounts_currency_key unique (merchant_id, id, currency),
  constraint ledger_accounts_holder_key unique nulls not distinct (merchant_id, holder_id, kind, currency, part),
  constraint ledger_accounts_wallet_check check (kind <> 'wallet' or not may_be_negative),
  -- The last line: the statement that moves money has looked before. The upper bound is that of amounts on the wire, twelve digits
  -- and two decimals; that of the others is far from the end of bigint.
  constraint ledger_accounts_balance_check check (
    balance_minor between case when may_be_negative then -9000000000000000000 else 0 end
                      and case when may_be_negative then 9000000000000000000 else 99999999999999 end)
) with (fillfactor = 70);

-- One movement of money, for one reason, once: `reference` names what it was made for. Its entries are its amounts. The currency is
-- part of the key so that it is part of what entries name: no transfer has entries in two.
create table ledger_transfers (
  merchant_id text not null,
  id uuid not null,
  currency text not null,
  purpose text not null constraint ledger_transfers_purpose_check check (purpose = any ('{deposit,order}')),
  reference uuid not null,
  created_at timestamptz not null,
  -- Over what it moves, from where and to where: nobody without the root key can make one up.
  seal bytea not null,
  constraint ledger_transfers_pkey primary key (merchant_id, id, currency),
  constraint ledger_transfers_reference_key unique (merchant_id, purpose, reference)
);

-- What a transfer does to an account: below zero it pays, above it gets. Those of a transfer sum to zero. No statement of the program
-- changes or deletes one.
create table ledger_entries (
  merchant_id text not null,
  transfer_id uuid not null,
  account_id uuid not null,
  currency text not null,
  amount_minor bigint not null constraint ledger_entries_amount_check check (amount_minor <> 0),
  constraint ledger_entries_pkey primary key (merchant_id, transfer_id, account_id)
);
-- The entries of an account in the order of their transfers, with what a sum of them needs.
create index ledger_entries_account_id_transfer_id_idx on ledger_entries (account_id, transfer_id) include (merchant_id, amount_minor);

alter table ledger_entries add constraint ledger_entries_transfer_id_fkey
  foreign key (merchant_id, transfer_id, currency) references ledger_transfers (merchant_id, id, currency);
alter table ledger_entries add constraint ledger_entries_account_id_fkey
  foreign key (merchant_id, account_id, currency) references ledger_accounts (merchant_id, id, currency);
