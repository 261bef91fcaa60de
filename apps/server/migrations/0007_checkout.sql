-- What:   shops that the service buys at, and their quotes.
-- Why:    a session may be built from a quote: the service then buys by itself.
-- Impact: new tables; no lock on existing ones, no size.
-- Compatible with the previous release: yes, it does not know the tables.

-- The operator's: every merchant account may buy at them.
create table shops (
  id text not null,
  -- As the cardholder sees it.
  name text not null,
  -- Where its customers find it. The credentials of its purchases are good at this host alone.
  url text not null,
  country text not null,
  -- How it is spoken to, and where.
  adapter text not null constraint shops_adapter_check check (adapter = any ('{native,acp}')),
  base_url text not null,
  -- What the service proves itself with there. Null: the shop asks for nothing.
  key_sealed bytea,
  key_key_id text,
  -- Over all of the above but the key: at another address, credentials would be handed to somebody else.
  seal bytea not null,
  status text not null constraint shops_status_check check (status = any ('{active,disabled}')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint shops_pkey primary key (id),
  constraint shops_key_check check ((key_sealed is null) = (key_key_id is null))
);
create index shops_key_key_id_idx on shops (key_key_id, id) where key_key_id is not null;
-- A key-encryption key that wraps something cannot go.
alter table shops
  add constraint shops_key_key_id_fkey foreign key (key_key_id) references key_encryption_keys (id);

-- What a shop wants for some of its products. Who it is sent to and where stays with the shop: nothing here is about a person.
create table quotes (
  merchant_id text not null,
  -- Begins with the time: those that nobody used are deleted by it.
  id text not null,
  -- No foreign key: shops are disabled, never deleted.
  shop_id text not null,
  -- What the shop calls it.
  shop_ref text not null,
  -- The shop as it was told of in the quote.
  shop_name text not null,
  shop_url text not null,
  shop_country text not null,
  currency text not null,
  items_minor bigint not null,
  shipping_minor bigint not null,
  tax_minor bigint not null,
  discount_minor bigint not null,
  total_minor bigint not null,
  lines jsonb not null,
  warnings text[] not null,
  -- Over everything above but the warnings, and the end of its time: what is signed is compared with it.
  seal bytea not null,
  -- The session that was built from it, and whose it is: set once.
  session_id text,
  customer_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint quotes_pkey primary key (merchant_id, id),
  constraint quotes_amounts_check check (least(items_minor, shipping_minor, tax_minor, discount_minor, total_minor) >= 0
    and items_minor + shipping_minor + tax_minor - discount_minor = total_minor),
  constraint quotes_session_check check ((session_id is null) = (customer_id is null))
);
-- What nobody used goes by its age.
create index quotes_unused_idx on quotes (merchant_id, id) where session_id is null;

alter table quotes add constraint quotes_merchant_id_fkey foreign key (merchant_id) references merchants (id);
