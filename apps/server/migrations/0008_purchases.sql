-- What the service buys for an approved session.

-- One purchase at a shop, driven by its open work (kind 'purchase', under the charge's id) until the shop, the card network and
-- the charge agree how it ended. The charge has the money: amount, credential, reported outcome. Here is how it stands at the shop.
create table purchases (
  merchant_id text not null,
  charge_id text not null,
  quote_id text not null,
  shop_id text not null,
  -- What the shop calls the quote.
  shop_ref text not null,
  state text not null constraint purchases_state_check
    check (state = any ('{pending,quote_ready,prepared,paying,needs_human,paid,prepare_failed,failed}')),
  -- Over the shop and its name of the quote: another shop would be handed the credential.
  seal bytea not null,
  -- Since when the shop has not said what became of the last thing it was asked; null: it has.
  unknown_since timestamptz,
  -- Why it came to nothing: known here before the card network and then the charge are told.
  failure_code text,
  -- The shop's order, if its name is one that may be shown.
  order_ref text,
  -- What was prepared, or may have been, has still to be given back.
  release_owed boolean not null default false,
  -- When an operator said how it ended.
  resolved_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint purchases_pkey primary key (merchant_id, charge_id)
);
-- A quote is bought once, whatever is written elsewhere.
create unique index purchases_quote_id_key on purchases (merchant_id, quote_id);

alter table purchases add constraint purchases_charge_id_fkey
  foreign key (merchant_id, charge_id) references charges (merchant_id, id);
