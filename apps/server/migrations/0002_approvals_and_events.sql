-- What:   passkeys, approvals, events, and what the program itself keeps.
-- Why:    the first slice: what was approved is kept as evidence, and everyone is told what happened.
-- Impact: new tables; no lock on existing ones, no size.
-- Compatible with the previous release: yes, it does not know the tables.

create table passkeys (
  merchant_id text not null,
  -- The credential id, base64url.
  id text not null,
  customer_id text not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  backup_eligible boolean not null,
  backed_up boolean not null,
  seal bytea not null,
  -- Set when its counter went backwards: a copy may exist; it approves nothing any more.
  flagged_at timestamptz,
  created_at timestamptz not null,
  last_used_at timestamptz,
  -- The passkey that was lost, if this one was made in its place.
  replaces text,
  -- Set when another one was made in its place.
  retired_at timestamptz,
  constraint passkeys_pkey primary key (merchant_id, id)
);
-- One live passkey a customer, flagged or not: of registrations at the same time one is stored.
create unique index passkeys_live_customer_key on passkeys (merchant_id, customer_id) where retired_at is null;

-- A merchant or the operator allowed one customer to replace a lost passkey: who, when, until when, and what came of it.
create table passkey_releases (
  merchant_id text not null,
  id uuid not null,
  customer_id text not null,
  -- `key <id>` of a merchant, or `operator`.
  released_by text not null,
  released_at timestamptz not null,
  expires_at timestamptz not null,
  -- Set when a new passkey was made.
  used_at timestamptz,
  constraint passkey_releases_pkey primary key (merchant_id, id)
);
create index passkey_releases_customer_id_idx on passkey_releases (customer_id, merchant_id);

create table passkey_challenges (
  merchant_id text not null,
  -- What the ceremony is part of: today a session.
  subject_type text not null constraint passkey_challenges_subject_type_check check (subject_type in ('session')),
  subject_id text not null,
  -- The WebAuthn challenge, base64url: SHA-256 over nonce and text.
  challenge text not null,
  ceremony text not null constraint passkey_challenges_ceremony_check check (ceremony = any ('{registration,assertion}')),
  nonce bytea not null,
  -- What the challenge binds, byte for byte: of an approval the terms shown to the cardholder.
  bound_text text not null,
  -- The counter of the customer's passkey when the challenge was issued: an answer above it is late, not a copy's.
  sign_count bigint not null,
  embedded boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  claimed_at timestamptz,
  constraint passkey_challenges_pkey primary key (merchant_id, subject_type, subject_id, challenge)
);
create index passkey_challenges_expires_at_idx on passkey_challenges (expires_at);
create index passkey_challenges_merchant_expires_at_idx on passkey_challenges (merchant_id, expires_at);

-- The enrollment of a card without a payment: the subject of its session. How far the card came is the session's to say
-- (proven_card_id). Without a foreign key to it, for the reason that sessions have none.
create table enrollments (
  merchant_id text not null,
  session_id text not null,
  -- The shop, as the cardholder is shown it.
  payee_name text not null,
  -- The reference itself is not kept.
  consent_given boolean not null,
  status text not null constraint enrollments_status_check
    check (status = any ('{open,completed,failed,cancelled,expired}')),
  passkey text constraint enrollments_passkey_check check (passkey = any ('{registered,existing}')),
  -- Why it failed; of an open one, why its last try did.
  error_code text,
  -- A try is in hand: until it ends, or until this time, because the process that had it may be dead.
  busy_until timestamptz,
  updated_at timestamptz not null,
  constraint enrollments_pkey primary key (merchant_id, session_id),
  constraint enrollments_completed_check check ((status = 'completed') = (passkey is not null)),
  constraint enrollments_error_check
    check (case status when 'open' then true when 'failed' then error_code is not null else error_code is null end)
);

-- The evidence of an approval: what was shown, and the signature over it. One subject is approved once.
create table approvals (
  merchant_id text not null,
  subject_type text not null constraint approvals_subject_type_check check (subject_type in ('session')),
  subject_id text not null,
  passkey_id text not null,
  terms text not null,
  nonce bytea not null,
  client_data_json bytea not null,
  authenticator_data bytea not null,
  signature bytea not null,
  approved_at timestamptz not null,
  constraint approvals_pkey primary key (merchant_id, subject_type, subject_id)
);

-- Which charge a caller's own reference names, while that charge has not failed. A table of its own: an index over charges
-- that leaves out the failed ones would be written anew by every change of every charge.
create table charge_references (
  merchant_id text not null,
  mandate_id text not null,
  reference text not null,
  charge_id text not null,
  constraint charge_references_pkey primary key (merchant_id, mandate_id, reference)
);

-- Captured in the transaction of their cause, and here until the sequencer numbers them, which is milliseconds: it moves them to
-- `events`. So no change waits for a partition of the past to be dropped, and no row of the feed is ever updated. Without a
-- foreign key to merchants, for the reason that customers have none.
create table captured_events (
  merchant_id text not null,
  id text not null,
  type text not null,
  resource_type text not null,
  resource_id text not null,
  resource_version integer not null,
  schema_version text not null,
  environment text not null,
  data text not null,
  occurred_at timestamptz not null,
  -- Why it is not numbered: an operator has to look. The others go on.
  parked text constraint captured_events_parked_check check (parked = any ('{too_large,duplicate}')),
  -- One event a change.
  constraint captured_events_pkey primary key (merchant_id, resource_type, resource_id, resource_version)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
-- The waiting ones, in the order in which they are numbered.
create index captured_events_waiting_idx on captured_events (merchant_id, id) where parked is null;
create index captured_events_parked_idx on captured_events (merchant_id, occurred_at) where parked is not null;

-- The feed: numbered without gaps, merchant by merchant. Written once, never updated, dropped by the week.
create table events (
  merchant_id text not null,
  feed_pos bigint not null,
  occurred_at timestamptz not null,
  -- Of `occurred_at`, in UTC, which the id carries too.
  day date not null,
  resource_version integer not null,
  id text not null,
  type text not null,
  resource_type text not null,
  resource_id text not null,
  -- With the columns above, the body that every reader and every delivery gets, byte for byte (`events/body.ts`).
  schema_version text not null,
  environment text not null,
  data text not null,
  constraint events_pkey primary key (merchant_id, feed_pos, day)
) partition by range (day);
-- An event by its id, whose time it is; and where in the feed a time is.
create index events_occurred_at_idx on events (merchant_id, occurred_at);
-- One event a change.
create unique index events_version_key on events (merchant_id, resource_id, resource_type, resource_version, day);
-- What happened to one resource, in the order of the feed.
create index events_resource_idx on events (merchant_id, resource_id, feed_pos);
-- A net: the partitions are made ahead.
create table events_default partition of events default;

-- The number of each merchant's newest event. Its row is the lock under which events are numbered.
create table event_heads (
  merchant_id text not null,
  feed_pos bigint not null,
  -- That number when the epoch began.
  epoch_start bigint not null,
  constraint event_heads_pkey primary key (merchant_id)
) with (fillfactor = 50);

-- A restored database may give numbers again that it gave before. Cursors say of which epoch they are. One row.
create table feed_epoch (
  id boolean constraint feed_epoch_pkey primary key constraint feed_epoch_id_check check (id),
  epoch bigint not null,
  -- The one before.
  previous bigint
);
insert into feed_epoch (id, epoch) values (true, 1);

-- Of which country and issuer the cards are whose first eight digits lie between two numbers. One edition is in use.
create table bin_ranges (
  edition text not null,
  first_bin integer not null,
  last_bin integer not null,
  country text,
  issuer text,
  constraint bin_ranges_pkey primary key (edition, first_bin),
  constraint bin_ranges_order_check check (first_bin <= last_bin)
);

-- Which edition that is; no row: none was imported yet.
create table bin_table (
  id boolean constraint bin_table_pkey primary key constraint bin_table_id_check check (id),
  edition text not null
);

-- A caller's key for one operation, with the outcome that a repeated call gets again: ids and facts, never card data.
create table idempotency_keys (
  merchant_id text not null,
  operation text not null,
  key text not null,
  input_hash bytea not null,
  outcome jsonb not null,
  created_at timestamptz not null,
  constraint idempotency_keys_pkey primary key (merchant_id, operation, key)
);
-- Old ones are deleted: who has any, then inside one merchant.
create index idempotency_keys_created_at_idx on idempotency_keys (created_at);
create index idempotency_keys_merchant_created_at_idx on idempotency_keys (merchant_id, created_at);

-- Points spent in the current window of a limit.
create table rate_limits (
  key varchar(255) constraint rate_limits_pkey primary key,
  points integer not null,
  -- When the window ends, in milliseconds since 1970.
  expire bigint not null
);

-- How far the sandbox's clock was moved; one row, zero in production.
create table sandbox_clock (
  id boolean constraint sandbox_clock_pkey primary key constraint sandbox_clock_id_check check (id),
  offset_seconds bigint not null constraint sandbox_clock_offset_check check (offset_seconds >= 0)
);
insert into sandbox_clock (id, offset_seconds) values (true, 0);

-- Which root key the database was made with: a keyed hash, written on the first start and never changed. One row.
create table root_key_check (
  id boolean constraint root_key_check_pkey primary key constraint root_key_check_id_check check (id),
  value bytea not null constraint root_key_check_value_check check (octet_length(value) = 32)
);

alter table passkeys
  add constraint passkeys_customer_id_fkey foreign key (merchant_id, customer_id) references customers (merchant_id, id);
alter table passkey_releases
  add constraint passkey_releases_customer_id_fkey foreign key (merchant_id, customer_id)
    references customers (merchant_id, id);
alter table idempotency_keys
  add constraint idempotency_keys_merchant_id_fkey foreign key (merchant_id) references merchants (id);
