-- The tables that a payment and a charge write if a noun is a row. What is not here stays as it is: endpoints, quotes, enrollments, the rest
-- of merchants. Indexes are over what never changes; the one exception is the work that is open.
create table merchants (
  id text primary key,
  status text not null check (status = any ('{active,suspended}')),
  network_profile text,
  -- Null: as many sessions as they like.
  sessions_left bigint,
  allowed_origins text[],
  origins_seal bytea
);
create table customers (
  merchant_id text not null, id text not null, external_user_id text not null, email text not null, phone text, country text,
  created_at timestamptz not null, updated_at timestamptz not null, version integer not null default 0,
  primary key (merchant_id, id),
  unique (merchant_id, external_user_id)
);
-- A card with its number, which is sealed. One that was entered has work until it is accepted: it may have to be ended.
create table cards (
  merchant_id text not null, id text not null, customer_id text not null, fingerprint bytea not null,
  number_sealed bytea, number_key_id text, entry_seal bytea not null, entry_number integer not null default 1,
  last4 text not null, brand text, exp_month smallint not null, exp_year smallint not null,
  status text not null check (status = any ('{provisioning,active,deleted}')),
  network_token_ref text, seal bytea, passkey_id text, passkey_seal bytea, is_default boolean not null default false,
  once_sessions text[], ending_reason text, design jsonb,
  created_at timestamptz not null, updated_at timestamptz not null, accepted_at timestamptz, work_due_at timestamptz,
  version integer not null default 0,
  primary key (merchant_id, id),
  unique (merchant_id, customer_id, fingerprint),
  foreign key (merchant_id, customer_id) references customers,
  check (status <> 'active' or num_nulls(network_token_ref, seal, accepted_at) = 0)
) with (fillfactor = 60);
create unique index cards_default on cards (merchant_id, customer_id) where is_default;
create index cards_due on cards (work_due_at) where work_due_at is not null;
create index cards_due_of_merchant on cards (merchant_id, work_due_at) where work_due_at is not null;
create table passkeys (
  merchant_id text not null, id text not null, customer_id text not null, public_key bytea not null, sign_count bigint not null,
  transports text[] not null, backup_eligible boolean not null, backed_up boolean not null, seal bytea not null, flagged_at timestamptz,
  created_at timestamptz not null, last_used_at timestamptz, replaces text, retired_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, customer_id) references customers
) with (fillfactor = 70);
create unique index passkeys_live on passkeys (merchant_id, customer_id) where retired_at is null;
-- Standing permissions alone.
create table mandates (
  merchant_id text not null, id text not null, customer_id text not null, card_id text, status text not null, frequency text not null,
  merchant_scope text not null, approved_minor bigint not null, currency text not null, payee_url text not null, details jsonb not null,
  max_charges integer, valid_until timestamptz not null, approval_hash text, seal bytea, instruction_ref text, agent_id text,
  window_started_at timestamptz, window_ends_at timestamptz, window_spent_minor bigint not null default 0,
  charge_count integer not null default 0, version integer not null default 0,
  created_at timestamptz not null, updated_at timestamptz not null, activated_at timestamptz, ended_at timestamptz,
  primary key (merchant_id, id),
  check (status = any ('{pending,active,paused,consumed,cancelled,expired}')),
  check (approved_minor > 0 and window_spent_minor between 0 and approved_minor),
  check (charge_count >= 0 and charge_count <= max_charges),
  check (status <> 'active' or instruction_ref is not null)
) with (fillfactor = 60);
create index mandates_of_customer on mandates (merchant_id, customer_id, id);
-- A purchase from its creation to its report, or a charge against a standing mandate, whose grant is empty.
create table charges (
  merchant_id text not null, id text not null, session_id text, customer_id text not null, status text not null, failure_code text,
  -- Terms. What no statement looks into is one document.
  amount_minor bigint not null, currency text not null, payee_url text not null, details jsonb not null, agent_id text,
  -- The grant.
  launch_hash bytea, expires_at timestamptz, closed_at timestamptz, tries smallint not null default 0,
  ceremony text, challenge text, challenge_expires_at timestamptz, agreed text, nonce bytea,
  -- The card.
  card_id text, proven_card_id text, proof text, proof_seal bytea, entry_id uuid,
  -- The permission.
  mandate_id text, standing_mandate_id text, reference text, holds_reference boolean not null default false, window_started_at timestamptz, life_minutes integer,
  approved_at timestamptz, instruction_ref text, seal bytea,
  -- What the network gave.
  credential_sealed bytea, credential_key_id text, lapses_at timestamptz,
  -- What became of it.
  reported_outcome text, report jsonb, reported_at timestamptz, network_confirmation text, overdue_at timestamptz,
  -- Open work: when it is due at the latest, and who has it.
  work_due_at timestamptz, lease_until timestamptz, lease_fence bigint not null default 1, attempts integer not null default 0,
  version integer not null default 1, created_at timestamptz not null, updated_at timestamptz not null,
  primary key (merchant_id, id),
  check (status = any ('{open,cancelled,expired,minting,awaiting_result,completed,failed}')),
  check (amount_minor > 0),
  check ((session_id is null) = (standing_mandate_id is not null) and (session_id is null) = (launch_hash is null)),
  check (credential_sealed is null or status = 'awaiting_result'),
  check ((status = 'failed') = (failure_code is not null)),
  check (reported_outcome = any ('{APPROVED,DECLINED}'))
) with (fillfactor = 50);
create unique index charges_session on charges (merchant_id, session_id) where session_id is not null;
-- A charge that fails frees its reference, and keeps showing it.
create unique index charges_reference on charges (merchant_id, standing_mandate_id, reference) where holds_reference;
create index charges_of_mandate on charges (merchant_id, standing_mandate_id, created_at, id) where standing_mandate_id is not null;
-- Who has work that is due, and which of it: the two steps of every claim.
create index charges_due on charges (work_due_at) where work_due_at is not null;
create index charges_due_of_merchant on charges (merchant_id, work_due_at) where work_due_at is not null;
-- Written once, when somebody agrees. The mandates of purchases are listed by its indexes, and read from their charges.
create table approvals (
  merchant_id text not null, subject_type text not null, subject_id text not null, mandate_id text, customer_id text not null,
  passkey_id text not null, token_ref text not null, terms text not null, nonce bytea not null, client_data_json bytea not null,
  authenticator_data bytea not null, signature bytea not null, approved_at timestamptz not null,
  primary key (merchant_id, subject_type, subject_id)
);
create unique index approvals_mandate on approvals (merchant_id, mandate_id) where mandate_id is not null;
create index approvals_of_customer on approvals (merchant_id, customer_id, mandate_id) where mandate_id is not null;
create table captured_events (
  merchant_id text not null, id text not null, type text not null, resource_type text not null, resource_id text not null,
  resource_version integer not null, schema_version text not null, environment text not null, data text not null,
  occurred_at timestamptz not null, parked text,
  primary key (merchant_id, resource_type, resource_id, resource_version)
);
create index captured_events_waiting on captured_events (merchant_id, id) where parked is null;
create table event_heads (merchant_id text primary key, feed_pos bigint not null);
create table events (
  merchant_id text not null, feed_pos bigint not null, id text not null, type text not null, resource_type text not null,
  resource_id text not null, resource_version integer not null, schema_version text not null, environment text not null,
  data text not null, occurred_at timestamptz not null,
  primary key (merchant_id, feed_pos)
);
create unique index events_version on events (merchant_id, resource_id, resource_type, resource_version);
create index events_occurred on events (merchant_id, occurred_at);
-- Of the variant that keeps the work beside the charge, as it is today.
create table open_work (
  merchant_id text not null, kind text not null, id text not null, due_at timestamptz not null, attempts integer not null,
  lease_until timestamptz, lease_fence bigint not null,
  primary key (merchant_id, kind, id)
);
create index open_work_due on open_work (merchant_id, due_at) where lease_until is null;
create index open_work_lease on open_work (merchant_id, lease_until) where lease_until is not null;
