-- The least that a payment and a charge can leave behind: no sequence of events, no work for reconcilers, no status of accounts,
-- no limits but a mandate's own.
create table customers (
  merchant text, external_id text, email text, created_at timestamptz,
  primary key (merchant, external_id)
);
create table payments (
  merchant text, id text, customer text, state text, created_at timestamptz, expires_at timestamptz, details jsonb,
  launch_hash bytea, card_sealed bytea, card_ref text, mandate text, credential bytea, outcome text, seal bytea,
  primary key (merchant, id)
) with (fillfactor = 50);
create table challenges (
  merchant text, payment text, kind text, challenge text, agreed text, expires_at timestamptz,
  primary key (merchant, payment, kind)
);
create table passkeys (
  merchant text, customer text, id text, public_key bytea, sign_count bigint,
  primary key (merchant, customer)
);
create table approvals (
  merchant text, payment text, agreed text, client_data bytea, authenticator_data bytea, signature bytea, seal bytea, at timestamptz,
  primary key (merchant, payment)
);
create table events (
  merchant text, id text, type text, resource text, version integer, data text, at timestamptz,
  primary key (merchant, id)
);
create table mandates (
  merchant text, id text, cap bigint, spent bigint, count integer, seal bytea,
  primary key (merchant, id)
) with (fillfactor = 50);
create table charges (
  merchant text, id text, mandate text, reference text, amount bigint, state text, fence integer, credential bytea, seal bytea,
  created_at timestamptz,
  primary key (merchant, id),
  unique (merchant, mandate, reference)
) with (fillfactor = 50);
