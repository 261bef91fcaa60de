-- What:   the stores of the wallet API: merchants, what they sell, how much there is of it; and carts.
-- Why:    an account's customers buy there and pay from their wallets.
-- Impact: new tables; no lock on existing ones, no size.
-- Compatible with the previous release: yes, it does not know the tables.

-- What the wire calls a merchant is a store here: `merchant_id` is the account's, as everywhere.

-- One catalog of an account: what its operator imported, or what the sandbox's shop shows. Its row is locked by every import, so
-- that two imports at the same time follow each other.
create table wallet_catalogs (
  merchant_id text not null,
  source text not null constraint wallet_catalogs_source_check check (source = any ('{import,shop}')),
  -- Of all that was imported last. The sandbox's shop is imported again when it differs.
  digest bytea not null,
  imported_at timestamptz not null,
  constraint wallet_catalogs_pkey primary key (merchant_id, source)
);

create table wallet_stores (
  merchant_id text not null,
  id uuid not null,
  source text not null constraint wallet_stores_source_check check (source = any ('{import,shop}')),
  -- What its catalog calls it. The id stays when it is imported again.
  source_key text not null,
  -- What it mainly sells. It is found under the categories of `wallet_store_categories`.
  category text not null,
  name text not null,
  description text not null,
  logo_url text,
  -- Of all its prices: a cart has one sum.
  currency text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint wallet_stores_pkey primary key (merchant_id, id)
);
create unique index wallet_stores_source_key on wallet_stores (merchant_id, source, source_key);

-- The categories that a store is found under: of the products that it sells, and its own while it sells any.
create table wallet_store_categories (
  merchant_id text not null,
  category text not null,
  store_id uuid not null,
  constraint wallet_store_categories_pkey primary key (merchant_id, category, store_id)
);
create index wallet_store_categories_store_id_idx on wallet_store_categories (store_id, merchant_id);

create table wallet_products (
  merchant_id text not null,
  id uuid not null,
  store_id uuid not null,
  -- What its catalog calls it.
  source_key text not null,
  category text not null,
  name text not null,
  description text not null,
  price_minor bigint not null constraint wallet_products_price_check check (price_minor > 0),
  -- The first is shown in lists.
  image_urls text[] not null,
  -- No longer in the catalog. The row stays for the carts that name it.
  withdrawn_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint wallet_products_pkey primary key (merchant_id, id)
);
create unique index wallet_products_source_key on wallet_products (merchant_id, store_id, source_key);
-- One category of a store, in the order of the catalog that brought them.
create index wallet_products_store_id_category_id_idx on wallet_products (store_id, category, id, merchant_id)
  where withdrawn_at is null;

-- How much there is of a product. Apart from the product, because every order changes it: the row is small, and in no index but
-- that of its key, so an update touches one page.
create table wallet_stock (
  merchant_id text not null,
  product_id uuid not null,
  -- The statement that takes has looked before; this is the last line.
  quantity integer not null constraint wallet_stock_quantity_check check (quantity >= 0),
  constraint wallet_stock_pkey primary key (merchant_id, product_id)
) with (fillfactor = 70);

create table wallet_carts (
  merchant_id text not null,
  id uuid not null,
  customer_id uuid not null,
  store_id uuid not null,
  status text not null constraint wallet_carts_status_check check (status = any ('{open,ordered,abandoned}')),
  -- What it was ordered in. Until then the store's counts.
  currency text,
  -- Moved on by every change of what is in it.
  abandon_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint wallet_carts_pkey primary key (merchant_id, id),
  constraint wallet_carts_currency_check check ((status = 'ordered') = (currency is not null))
);
create index wallet_carts_customer_id_id_idx on wallet_carts (customer_id, id, merchant_id);
create index wallet_carts_abandon_at_idx on wallet_carts (abandon_at) where status = 'open';
create index wallet_carts_merchant_abandon_at_idx on wallet_carts (merchant_id, abandon_at) where status = 'open';
-- What was given up is deleted by its age.
create index wallet_carts_abandoned_idx on wallet_carts (merchant_id, abandon_at) where status = 'abandoned';

-- A product in a cart. While the cart is open name and price are the product's; ordered, they are what was ordered.
create table wallet_cart_lines (
  merchant_id text not null,
  cart_id uuid not null,
  product_id uuid not null,
  -- In the order in which they were put in.
  place integer not null,
  quantity integer not null constraint wallet_cart_lines_quantity_check check (quantity > 0),
  name text,
  price_minor bigint,
  constraint wallet_cart_lines_pkey primary key (merchant_id, cart_id, product_id),
  constraint wallet_cart_lines_ordered_check check (num_nulls(name, price_minor) in (0, 2))
);

alter table wallet_catalogs
  add constraint wallet_catalogs_merchant_id_fkey foreign key (merchant_id) references merchants (id);
alter table wallet_store_categories add constraint wallet_store_categories_store_id_fkey
  foreign key (merchant_id, store_id) references wallet_stores (merchant_id, id);
alter table wallet_products add constraint wallet_products_store_id_fkey
  foreign key (merchant_id, store_id) references wallet_stores (merchant_id, id);
alter table wallet_stock add constraint wallet_stock_product_id_fkey
  foreign key (merchant_id, product_id) references wallet_products (merchant_id, id);
alter table wallet_carts
  add constraint wallet_carts_customer_id_fkey
    foreign key (merchant_id, customer_id) references wallet_customers (merchant_id, id),
  add constraint wallet_carts_store_id_fkey foreign key (merchant_id, store_id) references wallet_stores (merchant_id, id);
alter table wallet_cart_lines
  add constraint wallet_cart_lines_cart_id_fkey foreign key (merchant_id, cart_id) references wallet_carts (merchant_id, id),
  add constraint wallet_cart_lines_product_id_fkey
    foreign key (merchant_id, product_id) references wallet_products (merchant_id, id);
