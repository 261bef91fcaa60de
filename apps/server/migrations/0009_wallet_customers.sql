-- What:   customers of the wallet API, and their addresses.
-- Why:    they have wallets and carts, and share nothing with those who pay by card on the main API.
-- Impact: new tables; no lock on existing ones, no size.
-- Compatible with the previous release: yes, it does not know the tables.

-- A person or business that buys from a wallet. What is not shown is kept for the check that moves the status.
create table wallet_customers (
  merchant_id text not null,
  -- Of version 7: they are listed by the time in it.
  id uuid not null,
  type text not null constraint wallet_customers_type_check check (type = any ('{individual,business}')),
  status text not null constraint wallet_customers_status_check check (status = any ('{pending,verified,rejected}')),
  signed_agreement_id text,
  first_name text not null,
  last_name text not null,
  -- As it was given, and as it is compared: one customer an address.
  email text not null,
  email_compared text not null,
  phone text,
  -- A day, as on the wire.
  birth_date text,
  street text,
  city text,
  subdivision text,
  postal_code text,
  country text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint wallet_customers_pkey primary key (merchant_id, id),
  constraint wallet_customers_email_key unique (merchant_id, email_compared)
);

-- Where orders of a customer go. Never changed, because an order names one, until the customer is erased.
create table wallet_addresses (
  merchant_id text not null,
  id uuid not null,
  customer_id uuid not null,
  name text not null,
  address text not null,
  city text not null,
  state text not null,
  postal_code text not null,
  country text not null,
  phone text,
  email text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint wallet_addresses_pkey primary key (merchant_id, id)
);
create index wallet_addresses_customer_id_id_idx on wallet_addresses (merchant_id, customer_id, id);

alter table wallet_addresses add constraint wallet_addresses_customer_id_fkey
  foreign key (merchant_id, customer_id) references wallet_customers (merchant_id, id);
