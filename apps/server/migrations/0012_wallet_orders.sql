-- What:   orders of the wallet API.
-- Why:    a cart is paid from a wallet.
-- Impact: a new table; no lock on existing ones, no size.
-- Compatible with the previous release: yes, it does not know the table.

-- A cart that was paid: there is no order before, and none without its transfer, which has the same id. Nothing of it changes.
create table wallet_orders (
  merchant_id text not null,
  id uuid not null,
  cart_id uuid not null,
  customer_id uuid not null,
  wallet_id uuid not null,
  address_id uuid not null,
  amount_minor bigint not null constraint wallet_orders_amount_check check (amount_minor > 0),
  currency text not null,
  created_at timestamptz not null,
  constraint wallet_orders_pkey primary key (merchant_id, id),
  -- A cart is ordered once, whatever is said of it elsewhere.
  constraint wallet_orders_cart_id_key unique (merchant_id, cart_id)
);
-- A customer's, the newest first: ids begin with the time.
create index wallet_orders_customer_id_id_idx on wallet_orders (customer_id, id, merchant_id);

alter table wallet_orders
  add constraint wallet_orders_id_fkey foreign key (merchant_id, id, currency)
    references ledger_transfers (merchant_id, id, currency),
  add constraint wallet_orders_cart_id_fkey foreign key (merchant_id, cart_id) references wallet_carts (merchant_id, id),
  add constraint wallet_orders_wallet_id_fkey foreign key (merchant_id, wallet_id, currency)
    references ledger_accounts (merchant_id, id, currency);
