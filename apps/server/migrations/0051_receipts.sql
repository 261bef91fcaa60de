-- What:   receipts of owners: what is to have one, the chains of them, and the keys that sign them.
-- Why:    an owner can show others what was allowed, charged, refused and given back.
-- Impact: new tables; no lock on existing ones but for a moment on key_encryption_keys, no size.
-- Compatible with the previous release: yes, it does not know the tables.

-- Acts that have no receipt yet. Written with the act, deleted with the receipt.
create table receipt_acts (
  merchant_id text not null,
  kind text not null constraint receipt_acts_kind_check check (kind = any
    ('{agent_linked,agent_denied,agent_revoked,limits_changed,escalation_allowed,escalation_denied,event}')),
  -- Its kind, and what it is of.
  id text not null,
  subject_id text not null,
  -- The owner; null of an event: it is known when the receipt is made.
  customer_id text,
  occurred_at timestamptz not null,
  -- Of an event: its kind, what it is of, and what it says.
  event_type text,
  resource_id text,
  data text,
  -- When it is written: at once, or later where that did not work.
  next_at timestamptz not null,
  attempts integer not null default 0,
  constraint receipt_acts_pkey primary key (merchant_id, id),
  constraint receipt_acts_event_check check ((kind = 'event') = (num_nonnulls(event_type, resource_id, data) = 3))
);
create index receipt_acts_merchant_next_at_idx on receipt_acts (merchant_id, next_at, id);

-- One chain an owner: of any number of writers one gets a position, so that no chain forks; and one act has one receipt.
create table receipts (
  merchant_id text not null,
  customer_id text not null,
  position integer not null constraint receipts_position_check check (position >= 1),
  id text not null,
  cause_kind text not null,
  cause_id text not null,
  act text not null,
  -- SHA-256 of the receipt, base64url: the next one names it.
  hash text not null,
  jws text not null,
  occurred_at timestamptz not null,
  written_at timestamptz not null,
  constraint receipts_pkey primary key (merchant_id, customer_id, position),
  constraint receipts_id_key unique (merchant_id, id),
  constraint receipts_cause_key unique (merchant_id, cause_kind, cause_id)
);

-- Keys that sign receipts. A retired one has no private part any more, and stays: what it signed is verified with it.
create table receipt_keys (
  merchant_id text not null,
  -- Its thumbprint.
  id text not null,
  jwk jsonb not null,
  private_sealed bytea,
  private_key_id text,
  seal bytea not null,
  created_at timestamptz not null,
  retired_at timestamptz,
  constraint receipt_keys_pkey primary key (merchant_id, id),
  constraint receipt_keys_retired_check check (num_nulls(private_sealed, private_key_id) = case when retired_at is null then 0 else 2 end)
);
-- One key signs: of processes that make one at the same moment one makes it.
create unique index receipt_keys_current_key on receipt_keys (merchant_id) where retired_at is null;
create index receipt_keys_private_key_id_idx on receipt_keys (private_key_id, merchant_id, id) where private_key_id is not null;
alter table receipt_keys add constraint receipt_keys_private_key_id_fkey
  foreign key (private_key_id) references key_encryption_keys (id);
