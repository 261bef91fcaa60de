-- The schema that the migrations make, for reading and for review of changes. Written by `npm run schema`;
-- a test compares. The order is by name; the database is made by the numbered files beside this one only.

create schema simnet;

create table public.agent_keys (
  merchant_id text not null,
  thumbprint text not null,
  agent_id text not null,
  public_key bytea not null,
  encryption_key bytea,
  mandate_key jsonb,
  created_at timestamp with time zone not null,
  valid_until timestamp with time zone,
  seal bytea not null,
  constraint agent_keys_pkey PRIMARY KEY (merchant_id, thumbprint),
  constraint agent_keys_encryption_key_check CHECK ((octet_length(encryption_key) = 32)),
  constraint agent_keys_public_key_check CHECK ((octet_length(public_key) = 32)),
  constraint agent_keys_agent_id_fkey FOREIGN KEY (merchant_id, agent_id) REFERENCES agents(merchant_id, id)
);
CREATE INDEX agent_keys_agent_idx ON public.agent_keys USING btree (merchant_id, agent_id, created_at);

create table public.agent_limit_changes (
  merchant_id text not null,
  id text not null,
  agent_id text not null,
  version integer not null,
  was jsonb not null,
  limits jsonb not null,
  changed_at timestamp with time zone not null,
  constraint agent_limit_changes_pkey PRIMARY KEY (merchant_id, id),
  constraint agent_limit_changes_version_key UNIQUE (merchant_id, agent_id, version)
);

create table public.agent_links (
  merchant_id text not null,
  id text not null,
  thumbprint text,
  public_key bytea,
  encryption_key bytea,
  mandate_key jsonb,
  name text not null,
  platform text,
  description text,
  status text default 'pending'::text not null,
  agent_id text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  seal bytea not null,
  client_id text,
  client_host text,
  redirect_host text,
  scopes jsonb,
  grant_seal bytea,
  constraint agent_links_pkey PRIMARY KEY (merchant_id, id),
  constraint agent_links_agent_check CHECK (((status = 'approved'::text) = (agent_id IS NOT NULL))),
  constraint agent_links_client_check CHECK ((((client_id IS NULL) = (thumbprint IS NOT NULL)) AND ((client_id IS NULL) = (public_key IS NOT NULL)) AND ((client_id IS NULL) = (redirect_host IS NULL)) AND ((client_id IS NULL) = (scopes IS NULL)) AND ((client_id IS NOT NULL) OR (client_host IS NULL)))),
  constraint agent_links_decided_check CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  constraint agent_links_encryption_key_check CHECK ((octet_length(encryption_key) = 32)),
  constraint agent_links_public_key_check CHECK ((octet_length(public_key) = 32)),
  constraint agent_links_status_check CHECK ((status = ANY ('{pending,approved,denied}'::text[])))
);
CREATE INDEX agent_links_agent_idx ON public.agent_links USING btree (merchant_id, agent_id) WHERE (agent_id IS NOT NULL);
CREATE INDEX agent_links_undecided_idx ON public.agent_links USING btree (merchant_id, expires_at) WHERE (status <> 'approved'::text);

create table public.agent_nonces (
  merchant_id text not null,
  slot smallint not null,
  digest bytea not null,
  constraint agent_nonces_pkey PRIMARY KEY (merchant_id, slot, digest)
) partition by list (slot);
create table agent_nonces_0 partition of agent_nonces for values in ('0');
create table agent_nonces_1 partition of agent_nonces for values in ('1');
create table agent_nonces_2 partition of agent_nonces for values in ('2');
create table agent_nonces_3 partition of agent_nonces for values in ('3');
create table agent_nonces_4 partition of agent_nonces for values in ('4');
create table agent_nonces_5 partition of agent_nonces for values in ('5');
create table agent_nonces_6 partition of agent_nonces for values in ('6');
create table agent_nonces_7 partition of agent_nonces for values in ('7');

create table public.agent_spending (
  merchant_id text not null,
  agent_id text not null,
  open_count integer default 0 not null,
  day date default '2000-01-01'::date not null,
  day_minor bigint default 0 not null,
  month date default '2000-01-01'::date not null,
  month_minor bigint default 0 not null,
  constraint agent_spending_pkey PRIMARY KEY (merchant_id, agent_id),
  constraint agent_spending_taken_check CHECK (((open_count >= 0) AND (day_minor >= 0) AND (month_minor >= 0))),
  constraint agent_spending_agent_id_fkey FOREIGN KEY (merchant_id, agent_id) REFERENCES agents(merchant_id, id)
);

create table public.agents (
  merchant_id text not null,
  id text not null,
  customer_id text not null,
  link_id text not null,
  name text not null,
  platform text,
  description text,
  limits jsonb not null,
  status text default 'active'::text not null,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  seal bytea not null,
  published_at timestamp with time zone,
  published_seal bytea,
  client_id text,
  scopes jsonb,
  limits_version integer default 1 not null,
  published_name text,
  constraint agents_pkey PRIMARY KEY (merchant_id, id),
  constraint agents_client_check CHECK (((client_id IS NULL) = (scopes IS NULL))),
  constraint agents_published_check CHECK (((published_at IS NULL) = (published_seal IS NULL))),
  constraint agents_revoked_check CHECK (((status = 'revoked'::text) = (revoked_at IS NOT NULL))),
  constraint agents_status_check CHECK ((status = ANY ('{active,revoked}'::text[]))),
  constraint agents_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customers(merchant_id, id)
);
CREATE INDEX agents_customer_idx ON public.agents USING btree (merchant_id, customer_id, id);
CREATE INDEX agents_published_idx ON public.agents USING btree (merchant_id, published_at, id) WHERE ((status = 'active'::text) AND (published_at IS NOT NULL));
CREATE INDEX agents_revoked_idx ON public.agents USING btree (merchant_id, revoked_at) WHERE (status = 'revoked'::text);

create table public.api_keys (
  id text not null,
  merchant_id text not null,
  kind text not null,
  role text not null,
  key_hash bytea not null,
  seal bytea not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_kind_check CHECK ((kind = ANY ('{secret,publishable,wallet}'::text[]))),
  constraint api_keys_role_check CHECK ((role = ANY ('{merchant,control_plane}'::text[]))),
  constraint api_keys_role_kind_check CHECK (((role = 'merchant'::text) OR (kind = 'secret'::text))),
  constraint api_keys_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX api_keys_merchant_id_idx ON public.api_keys USING btree (merchant_id);

create table public.approvals (
  merchant_id text not null,
  subject_type text not null,
  subject_id text not null,
  passkey_id text not null,
  terms text not null,
  nonce bytea not null,
  client_data_json bytea not null,
  authenticator_data bytea not null,
  signature bytea not null,
  approved_at timestamp with time zone not null,
  constraint approvals_pkey PRIMARY KEY (merchant_id, subject_type, subject_id)
);

create table public.bin_ranges (
  edition text not null,
  first_bin integer not null,
  last_bin integer not null,
  country text,
  issuer text,
  constraint bin_ranges_pkey PRIMARY KEY (edition, first_bin),
  constraint bin_ranges_order_check CHECK ((first_bin <= last_bin))
);

create table public.bin_table (
  id boolean not null,
  edition text not null,
  constraint bin_table_pkey PRIMARY KEY (id),
  constraint bin_table_id_check CHECK (id)
);

create table public.captured_events (
  merchant_id text not null,
  id text not null,
  type text not null,
  resource_type text not null,
  resource_id text not null,
  resource_version integer not null,
  schema_version text not null,
  environment text not null,
  data text not null,
  occurred_at timestamp with time zone not null,
  parked text,
  constraint captured_events_pkey PRIMARY KEY (merchant_id, resource_type, resource_id, resource_version)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);
CREATE INDEX captured_events_parked_idx ON public.captured_events USING btree (merchant_id, occurred_at) WHERE (parked IS NOT NULL);
CREATE INDEX captured_events_waiting_idx ON public.captured_events USING btree (merchant_id, id) WHERE (parked IS NULL);

create table public.cards (
  merchant_id text not null,
  id text not null,
  customer_id text not null,
  vault_record_id uuid,
  fingerprint bytea not null,
  entry_seal bytea not null,
  last4 text not null,
  brand text,
  exp_month smallint not null,
  exp_year smallint not null,
  status text not null,
  network_token_ref text,
  passkey_id text,
  passkey_seal bytea,
  seal bytea,
  step_up_pending boolean not null,
  is_default boolean not null,
  once_sessions text[],
  ending_reason text,
  enrolment integer default 1 not null,
  design jsonb,
  consent_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  deleted_at timestamp with time zone,
  deletion_reason text,
  was_default boolean,
  network_token_deleted boolean,
  version integer default 0 not null,
  constraint cards_pkey PRIMARY KEY (merchant_id, id),
  constraint cards_status_check CHECK ((status = ANY ('{provisioning,active,deleted}'::text[])))
);
CREATE INDEX cards_begun_updated_at_idx ON public.cards USING btree (updated_at) WHERE ((status = 'provisioning'::text) AND (enrolment > 0));
CREATE INDEX cards_merchant_begun_updated_at_idx ON public.cards USING btree (merchant_id, updated_at) WHERE ((status = 'provisioning'::text) AND (enrolment > 0));
CREATE INDEX cards_once_idx ON public.cards USING btree (merchant_id, customer_id) WHERE (once_sessions IS NOT NULL);
CREATE UNIQUE INDEX cards_default_key ON public.cards USING btree (merchant_id, customer_id) WHERE is_default;
CREATE UNIQUE INDEX cards_fingerprint_key ON public.cards USING btree (merchant_id, customer_id, fingerprint) WHERE ((status <> 'deleted'::text) OR (accepted_at IS NOT NULL));

create table public.charges (
  merchant_id text not null,
  id text not null,
  line_item_id text not null,
  order_id text not null,
  external_order_ref text,
  opened_by text,
  quote_id text,
  simulated boolean default false not null,
  mandate_id text,
  standing_mandate_id text,
  reference text,
  window_started_at timestamp with time zone,
  card_id text,
  status text not null,
  failure_code text,
  amount_minor bigint not null,
  currency text not null,
  payee_name text not null,
  payee_network_name text not null,
  payee_url text not null,
  payee_country text not null,
  payee_category_code text,
  payee_category text,
  products jsonb not null,
  seal bytea,
  credential_sealed bytea,
  credential_key_id text,
  lapses_at timestamp with time zone,
  reported_outcome text,
  reported_type text,
  authorization_code text,
  response_code text,
  paid_minor bigint,
  reported_at timestamp with time zone,
  network_confirmation text,
  version integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  life_minutes integer,
  overdue_at timestamp with time zone,
  agent_id text,
  likeness bytea,
  delivery_shop_id text,
  delivery_session_id text,
  duplicate_of text,
  reference_freed boolean default false not null,
  work_due_at timestamp with time zone,
  attempts integer,
  lease_until timestamp with time zone,
  lease_fence bigint default 0 not null,
  constraint charges_pkey PRIMARY KEY (merchant_id, id),
  constraint charges_credential_check CHECK (((credential_sealed IS NULL) OR (status = 'awaiting_result'::text))),
  constraint charges_status_check CHECK ((status = ANY ('{initiated,minting,awaiting_result,completed,failed}'::text[])))
) with (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX charges_likeness_idx ON public.charges USING btree (merchant_id, agent_id, likeness, created_at) WHERE (likeness IS NOT NULL);
CREATE INDEX charges_merchant_work_due_at_idx ON public.charges USING btree (merchant_id, work_due_at) WHERE (attempts > '-1'::integer);
CREATE INDEX charges_standing_mandate_id_idx ON public.charges USING btree (standing_mandate_id, created_at, id, merchant_id) WHERE (standing_mandate_id IS NOT NULL);
CREATE INDEX charges_work_due_at_idx ON public.charges USING btree (work_due_at) WHERE (attempts >= 0);
CREATE UNIQUE INDEX charges_reference_key ON public.charges USING btree (merchant_id, standing_mandate_id, reference) WHERE ((reference IS NOT NULL) AND (NOT reference_freed));

create table public.contacts (
  merchant_id text not null,
  id text not null,
  email text not null,
  role text not null,
  verified_at timestamp with time zone,
  link_id text not null,
  link_hash bytea not null,
  link_made_at timestamp with time zone not null,
  link_ends_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  seal bytea,
  constraint contacts_pkey PRIMARY KEY (merchant_id, id),
  constraint contacts_role_check CHECK ((role = ANY ('{developer,admin}'::text[]))),
  constraint contacts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table public.customers (
  merchant_id text not null,
  id text not null,
  external_user_id text not null,
  email text not null,
  phone text,
  country text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  version integer default 0 not null,
  constraint customers_pkey PRIMARY KEY (merchant_id, id),
  constraint customers_external_user_id_key UNIQUE (merchant_id, external_user_id)
);

create table public.enrollments (
  merchant_id text not null,
  session_id text not null,
  payee_name text not null,
  consent_given boolean not null,
  status text not null,
  passkey text,
  error_code text,
  busy_until timestamp with time zone,
  updated_at timestamp with time zone not null,
  constraint enrollments_pkey PRIMARY KEY (merchant_id, session_id),
  constraint enrollments_completed_check CHECK (((status = 'completed'::text) = (passkey IS NOT NULL))),
  constraint enrollments_error_check CHECK (
CASE status
    WHEN 'open'::text THEN true
    WHEN 'failed'::text THEN (error_code IS NOT NULL)
    ELSE (error_code IS NULL)
END),
  constraint enrollments_passkey_check CHECK ((passkey = ANY ('{registered,existing}'::text[]))),
  constraint enrollments_status_check CHECK ((status = ANY ('{open,completed,failed,cancelled,expired}'::text[])))
);

create table public.escalations (
  merchant_id text not null,
  id text not null,
  agent_id text not null,
  customer_id text not null,
  mandate_id text not null,
  reference text not null,
  charge_id text not null,
  limit_kind text not null,
  beyond boolean not null,
  amount_minor bigint not null,
  currency text not null,
  payee_name text not null,
  payee_url text not null,
  payee_country text not null,
  products jsonb not null,
  status text default 'pending'::text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  good_until timestamp with time zone,
  session_id text,
  carrier_id text,
  seal bytea not null,
  allowed_seal bytea,
  constraint escalations_pkey PRIMARY KEY (merchant_id, id),
  constraint escalations_allowed_check CHECK (((status = ANY ('{allowed,used}'::text[])) = ((allowed_seal IS NOT NULL) AND (good_until IS NOT NULL)))),
  constraint escalations_carrier_check CHECK ((((session_id IS NULL) = (carrier_id IS NULL)) AND (beyond OR (session_id IS NULL)))),
  constraint escalations_decided_check CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  constraint escalations_status_check CHECK ((status = ANY ('{pending,allowed,used,denied}'::text[]))),
  constraint escalations_agent_id_fkey FOREIGN KEY (merchant_id, agent_id) REFERENCES agents(merchant_id, id),
  constraint escalations_mandate_id_fkey FOREIGN KEY (merchant_id, mandate_id) REFERENCES mandates(merchant_id, id)
);
CREATE INDEX escalations_agent_idx ON public.escalations USING btree (merchant_id, agent_id, expires_at) WHERE (status = 'pending'::text);
CREATE INDEX escalations_customer_idx ON public.escalations USING btree (merchant_id, customer_id, expires_at) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX escalations_reference_key ON public.escalations USING btree (merchant_id, mandate_id, reference);

create table public.event_heads (
  merchant_id text not null,
  feed_pos bigint not null,
  epoch_start bigint not null,
  constraint event_heads_pkey PRIMARY KEY (merchant_id)
) with (fillfactor=50);

create table public.events (
  merchant_id text not null,
  feed_pos bigint not null,
  occurred_at timestamp with time zone not null,
  day date not null,
  resource_version integer not null,
  id text not null,
  type text not null,
  resource_type text not null,
  resource_id text not null,
  schema_version text not null,
  environment text not null,
  data text not null,
  constraint events_pkey PRIMARY KEY (merchant_id, feed_pos, day)
) partition by range (day);
create table events_default partition of events default;
CREATE INDEX events_occurred_at_idx ON public.events USING btree (merchant_id, occurred_at);
CREATE INDEX events_resource_idx ON public.events USING btree (merchant_id, resource_id, feed_pos);
CREATE UNIQUE INDEX events_version_key ON public.events USING btree (merchant_id, resource_id, resource_type, resource_version, day);

create table public.feed_epoch (
  id boolean not null,
  epoch bigint not null,
  previous bigint,
  constraint feed_epoch_pkey PRIMARY KEY (id),
  constraint feed_epoch_id_check CHECK (id)
);

create table public.idempotency_keys (
  merchant_id text not null,
  operation text not null,
  key text not null,
  input_hash bytea not null,
  outcome jsonb not null,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (merchant_id, operation, key),
  constraint idempotency_keys_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX idempotency_keys_created_at_idx ON public.idempotency_keys USING btree (created_at);
CREATE INDEX idempotency_keys_merchant_created_at_idx ON public.idempotency_keys USING btree (merchant_id, created_at);

create table public.key_encryption_keys (
  id text not null,
  state text not null,
  probe bytea,
  seal bytea,
  moved_at timestamp with time zone not null,
  constraint key_encryption_keys_pkey PRIMARY KEY (id),
  constraint key_encryption_keys_first_check CHECK (((num_nulls(probe, seal) = 0) OR (id = 'local:1'::text))),
  constraint key_encryption_keys_state_check CHECK ((state = ANY ('{added,current,former}'::text[])))
);
CREATE UNIQUE INDEX key_encryption_keys_current_key ON public.key_encryption_keys USING btree (state) WHERE (state = 'current'::text);

create table public.key_nodes (
  id uuid not null,
  name text not null,
  proven text[] not null,
  wraps_with text not null,
  seen_at timestamp with time zone not null,
  constraint key_nodes_pkey PRIMARY KEY (id)
);

create table public.ledger_accounts (
  merchant_id text not null,
  id uuid not null,
  kind text not null,
  holder_id uuid,
  part smallint not null,
  currency text not null,
  balance_minor bigint not null,
  may_be_negative boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  seal bytea not null,
  constraint ledger_accounts_pkey PRIMARY KEY (merchant_id, id),
  constraint ledger_accounts_currency_key UNIQUE (merchant_id, id, currency),
  constraint ledger_accounts_holder_key UNIQUE NULLS NOT DISTINCT (merchant_id, holder_id, kind, currency, part),
  constraint ledger_accounts_balance_check CHECK (((balance_minor >=
CASE
    WHEN may_be_negative THEN '-9000000000000000000'::bigint
    ELSE (0)::bigint
END) AND (balance_minor <=
CASE
    WHEN may_be_negative THEN '9000000000000000000'::bigint
    ELSE '99999999999999'::bigint
END))),
  constraint ledger_accounts_kind_check CHECK ((kind = ANY ('{wallet,sales,deposits}'::text[]))),
  constraint ledger_accounts_wallet_check CHECK (((kind <> 'wallet'::text) OR (NOT may_be_negative)))
) with (fillfactor=70);

create table public.ledger_entries (
  merchant_id text not null,
  transfer_id uuid not null,
  account_id uuid not null,
  currency text not null,
  amount_minor bigint not null,
  constraint ledger_entries_pkey PRIMARY KEY (merchant_id, transfer_id, account_id),
  constraint ledger_entries_amount_check CHECK ((amount_minor <> 0)),
  constraint ledger_entries_account_id_fkey FOREIGN KEY (merchant_id, account_id, currency) REFERENCES ledger_accounts(merchant_id, id, currency),
  constraint ledger_entries_transfer_id_fkey FOREIGN KEY (merchant_id, transfer_id, currency) REFERENCES ledger_transfers(merchant_id, id, currency)
);
CREATE INDEX ledger_entries_account_id_transfer_id_idx ON public.ledger_entries USING btree (account_id, transfer_id) INCLUDE (merchant_id, amount_minor);

create table public.ledger_transfers (
  merchant_id text not null,
  id uuid not null,
  currency text not null,
  purpose text not null,
  reference uuid not null,
  created_at timestamp with time zone not null,
  seal bytea not null,
  constraint ledger_transfers_pkey PRIMARY KEY (merchant_id, id, currency),
  constraint ledger_transfers_reference_key UNIQUE (merchant_id, purpose, reference),
  constraint ledger_transfers_purpose_check CHECK ((purpose = ANY ('{deposit,order}'::text[])))
);

create table public.mail_turns (
  merchant_id text not null,
  key text not null,
  taken_at timestamp with time zone not null,
  constraint mail_turns_pkey PRIMARY KEY (merchant_id, key)
);
CREATE INDEX mail_turns_taken_at_idx ON public.mail_turns USING btree (merchant_id, taken_at);

create table public.mails (
  merchant_id text not null,
  id text not null,
  contact_id text,
  kind text not null,
  incident_id text,
  facts jsonb not null,
  state text not null,
  unsure smallint not null,
  reason text,
  reply_code integer,
  created_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  customer_id text,
  escalation_id text,
  address_hash bytea,
  constraint mails_pkey PRIMARY KEY (merchant_id, id),
  constraint mails_finished_check CHECK (((state = 'queued'::text) = (finished_at IS NULL))),
  constraint mails_kind_check CHECK ((kind = ANY ('{contact_link,incident_opened,incident_closed,owner_code,owner_asked}'::text[]))),
  constraint mails_reason_check CHECK ((reason = ANY ('{not_configured,file,dns,connection,tls,login,timeout,protocol,deferred,refused,no_recipient,answered}'::text[]))),
  constraint mails_recipient_check CHECK ((num_nonnulls(contact_id, customer_id) = 1)),
  constraint mails_state_check CHECK ((state = ANY ('{queued,sent,refused,unconfirmed,expired,dropped}'::text[]))),
  constraint mails_unsure_check CHECK (((unsure >= 0) AND (unsure <= 2))),
  constraint mails_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX mails_address_idx ON public.mails USING btree (merchant_id, address_hash, id) WHERE (address_hash IS NOT NULL);
CREATE INDEX mails_customer_idx ON public.mails USING btree (merchant_id, customer_id, id) WHERE (customer_id IS NOT NULL);
CREATE INDEX mails_queued_idx ON public.mails USING btree (created_at) WHERE (state = 'queued'::text);
CREATE UNIQUE INDEX mails_escalation_key ON public.mails USING btree (merchant_id, escalation_id) WHERE (escalation_id IS NOT NULL);
CREATE UNIQUE INDEX mails_incident_key ON public.mails USING btree (merchant_id, incident_id, kind, contact_id) WHERE (incident_id IS NOT NULL);

create table public.mandates (
  merchant_id text not null,
  id text not null,
  customer_id text not null,
  card_id text,
  per_checkout boolean not null,
  status text not null,
  frequency text not null,
  merchant_scope text not null,
  payee_name text not null,
  payee_network_name text not null,
  payee_url text not null,
  payee_country text not null,
  approved_minor bigint not null,
  currency text not null,
  max_charges integer,
  valid_until timestamp with time zone not null,
  approval_hash text,
  seal bytea,
  instruction_ref text,
  created_at timestamp with time zone not null,
  activated_at timestamp with time zone,
  ended_at timestamp with time zone,
  agent_id text,
  owner_seal bytea,
  session_id text,
  order_id text,
  external_order_ref text,
  payee_category_code text,
  payee_category text,
  products jsonb,
  adjustable boolean default false not null,
  failure_code text,
  charge_id text,
  window_started_at timestamp with time zone,
  window_ends_at timestamp with time zone,
  window_spent_minor bigint default 0 not null,
  charge_count integer default 0 not null,
  version integer default 0 not null,
  updated_at timestamp with time zone,
  constraint mandates_pkey PRIMARY KEY (merchant_id, id),
  constraint mandates_status_check CHECK ((status = ANY ('{pending,active,paused,consumed,cancelled,expired}'::text[])))
);
CREATE INDEX mandates_agent_idx ON public.mandates USING btree (merchant_id, agent_id) WHERE (agent_id IS NOT NULL);
CREATE INDEX mandates_customer_id_idx ON public.mandates USING btree (customer_id, id);
CREATE INDEX mandates_id_idx ON public.mandates USING btree (id text_pattern_ops);
CREATE INDEX mandates_standing_customer_id_idx ON public.mandates USING btree (customer_id, id) WHERE (NOT per_checkout);
CREATE INDEX mandates_standing_id_idx ON public.mandates USING btree (merchant_id, id) WHERE (NOT per_checkout);

create table public.merchants (
  id text not null,
  name text not null,
  status text not null,
  allowed_origins text[] not null,
  network_profile text,
  card_countries text[],
  card_issuers text[],
  webhook_secret_sealed bytea not null,
  webhook_secret_key_id text not null,
  created_at timestamp with time zone not null,
  origins_seal bytea,
  brand jsonb,
  brand_logo bytea,
  constraint merchants_pkey PRIMARY KEY (id),
  constraint merchants_status_check CHECK ((status = ANY ('{active,suspended}'::text[]))),
  constraint merchants_webhook_secret_key_id_fkey FOREIGN KEY (webhook_secret_key_id) REFERENCES key_encryption_keys(id)
);
CREATE INDEX merchants_webhook_secret_key_id_idx ON public.merchants USING btree (webhook_secret_key_id, id);

create table public.oauth_entries (
  merchant_id text not null,
  kind text not null,
  digest bytea not null,
  agent_id text,
  content text not null,
  created_at timestamp with time zone not null,
  consumed_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  grant_id text,
  constraint oauth_entries_pkey PRIMARY KEY (merchant_id, digest),
  constraint oauth_entries_digest_check CHECK ((octet_length(digest) = 32))
);
CREATE INDEX oauth_entries_agent_idx ON public.oauth_entries USING btree (merchant_id, agent_id) WHERE (agent_id IS NOT NULL);
CREATE INDEX oauth_entries_expires_idx ON public.oauth_entries USING btree (merchant_id, expires_at);
CREATE INDEX oauth_entries_grant_idx ON public.oauth_entries USING btree (merchant_id, grant_id) WHERE (grant_id IS NOT NULL);

create table public.open_work (
  merchant_id text not null,
  kind text not null,
  id text not null,
  due_at timestamp with time zone not null,
  attempts integer not null,
  lease_until timestamp with time zone,
  lease_fence bigint not null,
  constraint open_work_pkey PRIMARY KEY (merchant_id, kind, id)
);
CREATE INDEX open_work_due_at_idx ON public.open_work USING btree (kind, due_at) WHERE (attempts >= 0);
CREATE INDEX open_work_merchant_due_at_idx ON public.open_work USING btree (kind, merchant_id, due_at) WHERE (attempts > '-1'::integer);

create table public.owner_addresses (
  merchant_id text not null,
  customer_id text not null,
  email text not null,
  verified_at timestamp with time zone,
  code_id text not null,
  code_made_at timestamp with time zone not null,
  code_ends_at timestamp with time zone not null,
  code_tries smallint not null,
  seal bytea not null,
  constraint owner_addresses_pkey PRIMARY KEY (merchant_id, customer_id),
  constraint owner_addresses_tries_check CHECK (((code_tries >= 0) AND (code_tries <= 5))),
  constraint owner_addresses_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customers(merchant_id, id)
);

create table public.owner_sessions (
  merchant_id text not null,
  digest bytea not null,
  customer_id text not null,
  passkey_id text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  seal bytea not null,
  constraint owner_sessions_pkey PRIMARY KEY (merchant_id, digest),
  constraint owner_sessions_digest_check CHECK ((octet_length(digest) = 32)),
  constraint owner_sessions_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customers(merchant_id, id)
);
CREATE INDEX owner_sessions_customer_idx ON public.owner_sessions USING btree (merchant_id, customer_id);
CREATE INDEX owner_sessions_expiry_idx ON public.owner_sessions USING btree (merchant_id, expires_at);

create table public.owners (
  merchant_id text not null,
  customer_id text not null,
  name text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint owners_pkey PRIMARY KEY (merchant_id, customer_id),
  constraint owners_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customers(merchant_id, id)
);

create table public.passkey_challenges (
  merchant_id text not null,
  subject_type text not null,
  subject_id text not null,
  challenge text not null,
  ceremony text not null,
  nonce bytea not null,
  bound_text text not null,
  sign_count bigint not null,
  embedded boolean not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  claimed_at timestamp with time zone,
  constraint passkey_challenges_pkey PRIMARY KEY (merchant_id, subject_type, subject_id, challenge)
);
CREATE INDEX passkey_challenges_expires_at_idx ON public.passkey_challenges USING btree (expires_at);
CREATE INDEX passkey_challenges_merchant_expires_at_idx ON public.passkey_challenges USING btree (merchant_id, expires_at);

create table public.passkey_releases (
  merchant_id text not null,
  id uuid not null,
  customer_id text not null,
  released_by text not null,
  released_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint passkey_releases_pkey PRIMARY KEY (merchant_id, id),
  constraint passkey_releases_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES customers(merchant_id, id)
);
CREATE INDEX passkey_releases_customer_id_idx ON public.passkey_releases USING btree (customer_id, merchant_id);

create table public.passkeys (
  merchant_id text not null,
  id text not null,
  customer_id text not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  backup_eligible boolean not null,
  backed_up boolean not null,
  seal bytea not null,
  flagged_at timestamp with time zone,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  replaces text,
  retired_at timestamp with time zone,
  constraint passkeys_pkey PRIMARY KEY (merchant_id, id)
);
CREATE UNIQUE INDEX passkeys_live_customer_key ON public.passkeys USING btree (merchant_id, customer_id) WHERE (retired_at IS NULL);

create table public.purchases (
  merchant_id text not null,
  charge_id text not null,
  quote_id text not null,
  shop_id text not null,
  shop_ref text not null,
  state text not null,
  seal bytea not null,
  unknown_since timestamp with time zone,
  failure_code text,
  order_ref text,
  release_owed boolean default false not null,
  resolved_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint purchases_pkey PRIMARY KEY (merchant_id, charge_id),
  constraint purchases_state_check CHECK ((state = ANY ('{pending,quote_ready,prepared,paying,needs_human,paid,prepare_failed,failed}'::text[]))),
  constraint purchases_charge_id_fkey FOREIGN KEY (merchant_id, charge_id) REFERENCES charges(merchant_id, id)
);
CREATE UNIQUE INDEX purchases_quote_id_key ON public.purchases USING btree (merchant_id, quote_id);

create table public.quotes (
  merchant_id text not null,
  id text not null,
  shop_id text not null,
  shop_ref text not null,
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
  seal bytea not null,
  session_id text,
  customer_id text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  owner_id text,
  constraint quotes_pkey PRIMARY KEY (merchant_id, id),
  constraint quotes_amounts_check CHECK (((LEAST(items_minor, shipping_minor, tax_minor, discount_minor, total_minor) >= 0) AND ((((items_minor + shipping_minor) + tax_minor) - discount_minor) = total_minor))),
  constraint quotes_session_check CHECK (((session_id IS NULL) = (customer_id IS NULL))),
  constraint quotes_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX quotes_unused_idx ON public.quotes USING btree (merchant_id, id) WHERE (session_id IS NULL);

create table public.rate_limits (
  key character varying(255) not null,
  points integer not null,
  expire bigint not null,
  constraint rate_limits_pkey PRIMARY KEY (key)
);

create table public.restored (
  only_row boolean default true not null,
  closed_since timestamp with time zone,
  is_listed boolean default false not null,
  agents_held_since timestamp with time zone,
  signatures_since timestamp with time zone,
  constraint restored_pkey PRIMARY KEY (only_row),
  constraint restored_only_row_check CHECK (only_row)
);

create table public.restored_subjects (
  merchant_id text not null,
  kind text not null,
  id text not null,
  attempts integer default 0 not null,
  word text,
  heard_at timestamp with time zone,
  constraint restored_subjects_pkey PRIMARY KEY (merchant_id, kind, id),
  constraint restored_subjects_kind_check CHECK ((kind = ANY ('{charge,mandate,card}'::text[]))),
  constraint restored_subjects_word_check CHECK ((word = ANY ('{active,ended,used,not_found,gone}'::text[])))
);
CREATE INDEX restored_subjects_unheard_idx ON public.restored_subjects USING btree (attempts, merchant_id, kind, id) WHERE (word IS NULL);

create table public.root_key_check (
  id boolean not null,
  value bytea not null,
  constraint root_key_check_pkey PRIMARY KEY (id),
  constraint root_key_check_id_check CHECK (id),
  constraint root_key_check_value_check CHECK ((octet_length(value) = 32))
);

create table public.sandbox_clock (
  id boolean not null,
  offset_seconds bigint not null,
  constraint sandbox_clock_pkey PRIMARY KEY (id),
  constraint sandbox_clock_id_check CHECK (id),
  constraint sandbox_clock_offset_check CHECK ((offset_seconds >= 0))
);

create table public.schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  incompatible_with_previous boolean not null,
  applied_at timestamp with time zone not null,
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table public.session_allowances (
  merchant_id text not null,
  remaining bigint not null,
  constraint session_allowances_pkey PRIMARY KEY (merchant_id),
  constraint session_allowances_remaining_check CHECK ((remaining >= 0)),
  constraint session_allowances_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table public.sessions (
  merchant_id text not null,
  id text not null,
  customer_id text not null,
  order_id text,
  kind text not null,
  charge_id text,
  mandate_id text,
  integration_type text not null,
  callback_url text,
  description text,
  summary jsonb,
  effective_minutes integer,
  preselected_vault_record_id uuid,
  card_id text,
  proven_card_id text,
  proof text,
  proof_seal bytea,
  entry_id uuid,
  entry_once boolean default false not null,
  launch_hash bytea not null,
  version integer not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  agent_id text,
  agent_name text,
  agent_seal bytea,
  locale text,
  extended_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (merchant_id, id)
);
CREATE INDEX sessions_agent_idx ON public.sessions USING btree (merchant_id, id) WHERE ((agent_id IS NOT NULL) AND (closed_at IS NULL));
CREATE INDEX sessions_merchant_open_expires_at_idx ON public.sessions USING btree (merchant_id, expires_at) WHERE ((closed_at IS NULL) AND (version > 0));
CREATE INDEX sessions_of_agent_idx ON public.sessions USING btree (merchant_id, agent_id, created_at, id) WHERE (agent_id IS NOT NULL);
CREATE INDEX sessions_open_expires_at_idx ON public.sessions USING btree (expires_at) WHERE ((closed_at IS NULL) AND (version > 0));

create table public.shops (
  id text not null,
  name text not null,
  url text not null,
  country text not null,
  adapter text not null,
  base_url text not null,
  key_sealed bytea,
  key_key_id text,
  seal bytea not null,
  status text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint shops_pkey PRIMARY KEY (id),
  constraint shops_adapter_check CHECK ((adapter = ANY ('{native,acp}'::text[]))),
  constraint shops_key_check CHECK (((key_sealed IS NULL) = (key_key_id IS NULL))),
  constraint shops_status_check CHECK ((status = ANY ('{active,disabled}'::text[]))),
  constraint shops_key_key_id_fkey FOREIGN KEY (key_key_id) REFERENCES key_encryption_keys(id)
);
CREATE INDEX shops_key_key_id_idx ON public.shops USING btree (key_key_id, id) WHERE (key_key_id IS NOT NULL);

create table public.vault_records (
  merchant_id text not null,
  id uuid not null,
  number_sealed bytea not null,
  number_key_id text not null,
  last4 text not null,
  brand text,
  exp_month smallint not null,
  exp_year smallint not null,
  added_by text not null,
  created_at timestamp with time zone not null,
  constraint vault_records_pkey PRIMARY KEY (merchant_id, id),
  constraint vault_records_number_key_id_fkey FOREIGN KEY (number_key_id) REFERENCES key_encryption_keys(id)
);
CREATE INDEX vault_records_number_key_id_idx ON public.vault_records USING btree (number_key_id, merchant_id, id);

create table public.wallet_addresses (
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
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint wallet_addresses_pkey PRIMARY KEY (merchant_id, id),
  constraint wallet_addresses_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES wallet_customers(merchant_id, id)
);
CREATE INDEX wallet_addresses_customer_id_id_idx ON public.wallet_addresses USING btree (merchant_id, customer_id, id);

create table public.wallet_cart_lines (
  merchant_id text not null,
  cart_id uuid not null,
  product_id uuid not null,
  place integer not null,
  quantity integer not null,
  name text,
  price_minor bigint,
  constraint wallet_cart_lines_pkey PRIMARY KEY (merchant_id, cart_id, product_id),
  constraint wallet_cart_lines_ordered_check CHECK ((num_nulls(name, price_minor) = ANY (ARRAY[0, 2]))),
  constraint wallet_cart_lines_quantity_check CHECK ((quantity > 0)),
  constraint wallet_cart_lines_cart_id_fkey FOREIGN KEY (merchant_id, cart_id) REFERENCES wallet_carts(merchant_id, id),
  constraint wallet_cart_lines_product_id_fkey FOREIGN KEY (merchant_id, product_id) REFERENCES wallet_products(merchant_id, id)
);

create table public.wallet_carts (
  merchant_id text not null,
  id uuid not null,
  customer_id uuid not null,
  store_id uuid not null,
  status text not null,
  currency text,
  abandon_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint wallet_carts_pkey PRIMARY KEY (merchant_id, id),
  constraint wallet_carts_currency_check CHECK (((status = 'ordered'::text) = (currency IS NOT NULL))),
  constraint wallet_carts_status_check CHECK ((status = ANY ('{open,ordered,abandoned}'::text[]))),
  constraint wallet_carts_customer_id_fkey FOREIGN KEY (merchant_id, customer_id) REFERENCES wallet_customers(merchant_id, id),
  constraint wallet_carts_store_id_fkey FOREIGN KEY (merchant_id, store_id) REFERENCES wallet_stores(merchant_id, id)
);
CREATE INDEX wallet_carts_abandon_at_idx ON public.wallet_carts USING btree (abandon_at) WHERE (status = 'open'::text);
CREATE INDEX wallet_carts_abandoned_idx ON public.wallet_carts USING btree (merchant_id, abandon_at) WHERE (status = 'abandoned'::text);
CREATE INDEX wallet_carts_customer_id_id_idx ON public.wallet_carts USING btree (customer_id, id, merchant_id);
CREATE INDEX wallet_carts_merchant_abandon_at_idx ON public.wallet_carts USING btree (merchant_id, abandon_at) WHERE (status = 'open'::text);

create table public.wallet_catalogs (
  merchant_id text not null,
  source text not null,
  digest bytea not null,
  imported_at timestamp with time zone not null,
  constraint wallet_catalogs_pkey PRIMARY KEY (merchant_id, source),
  constraint wallet_catalogs_source_check CHECK ((source = ANY ('{import,shop}'::text[]))),
  constraint wallet_catalogs_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);

create table public.wallet_customers (
  merchant_id text not null,
  id uuid not null,
  type text not null,
  status text not null,
  signed_agreement_id text,
  first_name text not null,
  last_name text not null,
  email text not null,
  email_compared text not null,
  phone text,
  birth_date text,
  street text,
  city text,
  subdivision text,
  postal_code text,
  country text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint wallet_customers_pkey PRIMARY KEY (merchant_id, id),
  constraint wallet_customers_email_key UNIQUE (merchant_id, email_compared),
  constraint wallet_customers_status_check CHECK ((status = ANY ('{pending,verified,rejected}'::text[]))),
  constraint wallet_customers_type_check CHECK ((type = ANY ('{individual,business}'::text[])))
);

create table public.wallet_orders (
  merchant_id text not null,
  id uuid not null,
  cart_id uuid not null,
  customer_id uuid not null,
  wallet_id uuid not null,
  address_id uuid not null,
  amount_minor bigint not null,
  currency text not null,
  created_at timestamp with time zone not null,
  constraint wallet_orders_pkey PRIMARY KEY (merchant_id, id),
  constraint wallet_orders_cart_id_key UNIQUE (merchant_id, cart_id),
  constraint wallet_orders_amount_check CHECK ((amount_minor > 0)),
  constraint wallet_orders_cart_id_fkey FOREIGN KEY (merchant_id, cart_id) REFERENCES wallet_carts(merchant_id, id),
  constraint wallet_orders_id_fkey FOREIGN KEY (merchant_id, id, currency) REFERENCES ledger_transfers(merchant_id, id, currency),
  constraint wallet_orders_wallet_id_fkey FOREIGN KEY (merchant_id, wallet_id, currency) REFERENCES ledger_accounts(merchant_id, id, currency)
);
CREATE INDEX wallet_orders_customer_id_id_idx ON public.wallet_orders USING btree (customer_id, id, merchant_id);

create table public.wallet_products (
  merchant_id text not null,
  id uuid not null,
  store_id uuid not null,
  source_key text not null,
  category text not null,
  name text not null,
  description text not null,
  price_minor bigint not null,
  image_urls text[] not null,
  withdrawn_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint wallet_products_pkey PRIMARY KEY (merchant_id, id),
  constraint wallet_products_price_check CHECK ((price_minor > 0)),
  constraint wallet_products_store_id_fkey FOREIGN KEY (merchant_id, store_id) REFERENCES wallet_stores(merchant_id, id)
);
CREATE INDEX wallet_products_store_id_category_id_idx ON public.wallet_products USING btree (store_id, category, id, merchant_id) WHERE (withdrawn_at IS NULL);
CREATE UNIQUE INDEX wallet_products_source_key ON public.wallet_products USING btree (merchant_id, store_id, source_key);

create table public.wallet_stock (
  merchant_id text not null,
  product_id uuid not null,
  quantity integer not null,
  constraint wallet_stock_pkey PRIMARY KEY (merchant_id, product_id),
  constraint wallet_stock_quantity_check CHECK ((quantity >= 0)),
  constraint wallet_stock_product_id_fkey FOREIGN KEY (merchant_id, product_id) REFERENCES wallet_products(merchant_id, id)
) with (fillfactor=70);

create table public.wallet_store_categories (
  merchant_id text not null,
  category text not null,
  store_id uuid not null,
  constraint wallet_store_categories_pkey PRIMARY KEY (merchant_id, category, store_id),
  constraint wallet_store_categories_store_id_fkey FOREIGN KEY (merchant_id, store_id) REFERENCES wallet_stores(merchant_id, id)
);
CREATE INDEX wallet_store_categories_store_id_idx ON public.wallet_store_categories USING btree (store_id, merchant_id);

create table public.wallet_stores (
  merchant_id text not null,
  id uuid not null,
  source text not null,
  source_key text not null,
  category text not null,
  name text not null,
  description text not null,
  logo_url text,
  currency text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint wallet_stores_pkey PRIMARY KEY (merchant_id, id),
  constraint wallet_stores_source_check CHECK ((source = ANY ('{import,shop}'::text[])))
);
CREATE UNIQUE INDEX wallet_stores_source_key ON public.wallet_stores USING btree (merchant_id, source, source_key);

create table public.webhook_applications (
  merchant_id text not null,
  last_claims timestamp with time zone[] not null,
  flights jsonb not null,
  waiting text[] not null,
  constraint webhook_applications_pkey PRIMARY KEY (merchant_id)
);

create table public.webhook_attempts (
  merchant_id text not null,
  delivery_id text not null,
  day date not null,
  number integer not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  http_status integer,
  category text,
  constraint webhook_attempts_pkey PRIMARY KEY (merchant_id, delivery_id, number, day),
  constraint webhook_attempts_category_check CHECK ((category = ANY ('{forbidden_url,forbidden_address,dns,connect,connect_timeout,tls,timeout,reset,protocol,aborted,redirect,gone,status}'::text[])))
) partition by range (day);
create table webhook_attempts_default partition of webhook_attempts default;

create table public.webhook_deliveries (
  merchant_id text not null,
  id text not null,
  day date not null,
  endpoint_id text not null,
  revision integer not null,
  event_id text not null,
  event_type text not null,
  body text,
  replay_of text,
  state text not null,
  send_at timestamp with time zone not null,
  attempts integer not null,
  window_ends_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (merchant_id, id, day),
  constraint webhook_deliveries_finished_check CHECK (((state = 'queued'::text) = (finished_at IS NULL))),
  constraint webhook_deliveries_state_check CHECK ((state = ANY ('{queued,delivered,failed,cancelled}'::text[])))
) partition by range (day);
create table webhook_deliveries_default partition of webhook_deliveries default;
CREATE INDEX webhook_deliveries_endpoint_idx ON public.webhook_deliveries USING btree (merchant_id, endpoint_id, id);
CREATE INDEX webhook_deliveries_queued_idx ON public.webhook_deliveries USING btree (merchant_id, endpoint_id, revision, send_at) WHERE (state = 'queued'::text);
CREATE INDEX webhook_deliveries_window_idx ON public.webhook_deliveries USING btree (merchant_id, endpoint_id, window_ends_at) WHERE (state = 'queued'::text);

create table public.webhook_endpoints (
  merchant_id text not null,
  id text not null,
  place smallint not null,
  name text not null,
  url text not null,
  events text[] not null,
  is_account boolean not null,
  revision integer not null,
  enabled boolean not null,
  verified_at timestamp with time zone,
  disabled_reason text,
  failures integer not null,
  circuit_until timestamp with time zone,
  secret_sealed bytea,
  secret_key_id text,
  former_secret_sealed bytea,
  former_secret_key_id text,
  former_secret_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  seal bytea,
  constraint webhook_endpoints_pkey PRIMARY KEY (merchant_id, id),
  constraint webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY ('{gone,forbidden_address}'::text[]))),
  constraint webhook_endpoints_former_check CHECK ((num_nulls(former_secret_sealed, former_secret_key_id, former_secret_until) = ANY (ARRAY[0, 3]))),
  constraint webhook_endpoints_place_check CHECK (((place >= 1) AND (place <= 5))),
  constraint webhook_endpoints_secret_check CHECK ((num_nulls(secret_sealed, secret_key_id) =
CASE
    WHEN (is_account OR (deleted_at IS NOT NULL)) THEN 2
    ELSE 0
END)),
  constraint webhook_endpoints_former_secret_key_id_fkey FOREIGN KEY (former_secret_key_id) REFERENCES key_encryption_keys(id),
  constraint webhook_endpoints_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint webhook_endpoints_secret_key_id_fkey FOREIGN KEY (secret_key_id) REFERENCES key_encryption_keys(id)
);
CREATE INDEX webhook_endpoints_former_secret_key_id_idx ON public.webhook_endpoints USING btree (former_secret_key_id, merchant_id, id) WHERE (former_secret_key_id IS NOT NULL);
CREATE INDEX webhook_endpoints_former_until_idx ON public.webhook_endpoints USING btree (former_secret_until) WHERE (former_secret_until IS NOT NULL);
CREATE INDEX webhook_endpoints_merchant_former_until_idx ON public.webhook_endpoints USING btree (merchant_id, former_secret_until) WHERE (former_secret_until IS NOT NULL);
CREATE INDEX webhook_endpoints_secret_key_id_idx ON public.webhook_endpoints USING btree (secret_key_id, merchant_id, id) WHERE (secret_key_id IS NOT NULL);
CREATE UNIQUE INDEX webhook_endpoints_account_key ON public.webhook_endpoints USING btree (merchant_id) WHERE (is_account AND (deleted_at IS NULL));
CREATE UNIQUE INDEX webhook_endpoints_place_key ON public.webhook_endpoints USING btree (merchant_id, place) WHERE (deleted_at IS NULL);

create table public.webhook_incidents (
  merchant_id text not null,
  id text not null,
  endpoint_id text not null,
  reason text not null,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  constraint webhook_incidents_pkey PRIMARY KEY (merchant_id, id),
  constraint webhook_incidents_reason_check CHECK ((reason = ANY ('{circuit_open,gone,forbidden_address}'::text[]))),
  constraint webhook_incidents_endpoint_id_fkey FOREIGN KEY (merchant_id, endpoint_id) REFERENCES webhook_endpoints(merchant_id, id)
);
CREATE INDEX webhook_incidents_endpoint_id_idx ON public.webhook_incidents USING btree (merchant_id, endpoint_id, id);
CREATE UNIQUE INDEX webhook_incidents_open_key ON public.webhook_incidents USING btree (merchant_id, endpoint_id) WHERE (closed_at IS NULL);

create table public.webhook_recoveries (
  merchant_id text not null,
  id text not null,
  endpoint_id text not null,
  revision integer not null,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  after_at timestamp with time zone not null,
  after_id text not null,
  last_pos bigint not null,
  queued_count integer not null,
  state text not null,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint webhook_recoveries_pkey PRIMARY KEY (merchant_id, id),
  constraint webhook_recoveries_finished_check CHECK (((state = 'running'::text) = (finished_at IS NULL))),
  constraint webhook_recoveries_state_check CHECK ((state = ANY ('{running,completed,cancelled}'::text[])))
);
CREATE INDEX webhook_recoveries_created_at_idx ON public.webhook_recoveries USING btree (created_at) WHERE (state = 'running'::text);
CREATE INDEX webhook_recoveries_merchant_created_at_idx ON public.webhook_recoveries USING btree (merchant_id, created_at) WHERE (state = 'running'::text);
CREATE UNIQUE INDEX webhook_recoveries_running_key ON public.webhook_recoveries USING btree (merchant_id, endpoint_id) WHERE (state = 'running'::text);

create table simnet.authorizations (
  authorization_id text not null,
  charge_id text,
  currency text not null,
  amount_minor bigint not null,
  merchant_host text,
  response_code text not null,
  authorization_code text,
  attempted_at timestamp with time zone not null,
  constraint authorizations_pkey PRIMARY KEY (authorization_id),
  constraint authorizations_code_check CHECK (((response_code = '00'::text) = (authorization_code IS NOT NULL))),
  constraint authorizations_response_code_check CHECK ((response_code ~ '^[0-9]{2}$'::text)),
  constraint authorizations_charge_id_fkey FOREIGN KEY (charge_id) REFERENCES simnet.mints(charge_id)
);
CREATE INDEX authorizations_charge_id_idx ON simnet.authorizations USING btree (charge_id);
CREATE UNIQUE INDEX authorizations_approved_charge_id_key ON simnet.authorizations USING btree (charge_id) WHERE (response_code = '00'::text);

create table simnet.instructions (
  mandate_id text not null,
  state text not null,
  instruction_ref text,
  token_ref text,
  terms_hash bytea,
  currency text,
  cap_minor bigint,
  frequency text,
  max_charges integer,
  charge_count integer not null,
  merchant_host text,
  valid_until timestamp with time zone,
  registered_at timestamp with time zone,
  cancelled_at timestamp with time zone,
  constraint instructions_pkey PRIMARY KEY (mandate_id),
  constraint instructions_cap_minor_check CHECK ((cap_minor > 0)),
  constraint instructions_charge_count_check CHECK ((charge_count >= 0)),
  constraint instructions_count_limit_check CHECK ((charge_count <= max_charges)),
  constraint instructions_frequency_check CHECK ((frequency = ANY ('{one_time,weekly,monthly,yearly}'::text[]))),
  constraint instructions_max_charges_check CHECK ((max_charges >= 1)),
  constraint instructions_one_time_check CHECK (((frequency <> 'one_time'::text) OR (NOT (max_charges IS DISTINCT FROM 1)))),
  constraint instructions_state_check CHECK ((state = ANY ('{active,cancelled}'::text[]))),
  constraint instructions_terms_check CHECK (((state = 'cancelled'::text) OR (num_nulls(instruction_ref, token_ref, terms_hash, currency, cap_minor, frequency, valid_until, registered_at) = 0))),
  constraint instructions_token_ref_fkey FOREIGN KEY (token_ref) REFERENCES simnet.tokens(token_ref)
);
CREATE INDEX instructions_token_ref_idx ON simnet.instructions USING btree (token_ref);

create table simnet.mints (
  charge_id text not null,
  mandate_id text,
  state text not null,
  decline_reason text,
  currency text,
  amount_minor bigint,
  merchant_host text,
  asked_at timestamp with time zone,
  window_started_at timestamp with time zone,
  number_sealed bytea,
  number_lookup bytea,
  cvv_sealed bytea,
  expiry_month text,
  expiry_year text,
  valid_until timestamp with time zone,
  credential_state text,
  wrong_cvv_count integer not null,
  confirmed_outcome text,
  confirmed_at timestamp with time zone,
  confirmed_paid_minor bigint,
  confirmed_authorization_code text,
  confirmed_response_code text,
  released_at timestamp with time zone,
  constraint mints_pkey PRIMARY KEY (charge_id),
  constraint mints_number_lookup_key UNIQUE (number_lookup),
  constraint mints_amount_minor_check CHECK ((amount_minor > 0)),
  constraint mints_asked_check CHECK (((num_nulls(mandate_id, currency, amount_minor, asked_at) = 0) OR ((state = 'released'::text) AND (num_nonnulls(mandate_id, currency, amount_minor, asked_at) = 0)))),
  constraint mints_confirmed_check CHECK (((confirmed_outcome IS NULL) = (confirmed_at IS NULL))),
  constraint mints_confirmed_outcome_check CHECK ((confirmed_outcome = ANY ('{APPROVED,DECLINED}'::text[]))),
  constraint mints_confirmed_paid_minor_check CHECK ((confirmed_paid_minor >= 0)),
  constraint mints_credential_state_check CHECK ((credential_state = ANY ('{open,used,blocked,closed}'::text[]))),
  constraint mints_declined_check CHECK (((state = 'declined'::text) = (decline_reason IS NOT NULL))),
  constraint mints_expiry_month_check CHECK ((expiry_month ~ '^(0[1-9]|1[0-2])$'::text)),
  constraint mints_expiry_year_check CHECK ((expiry_year ~ '^[0-9]{4}$'::text)),
  constraint mints_minted_check CHECK (
CASE
    WHEN ((state = 'minted'::text) OR ((state = 'released'::text) AND (mandate_id IS NOT NULL))) THEN (num_nulls(merchant_host, window_started_at, number_sealed, number_lookup, cvv_sealed, expiry_month, expiry_year, valid_until, credential_state) = 0)
    ELSE (num_nonnulls(number_sealed, number_lookup, cvv_sealed, credential_state, confirmed_outcome) = 0)
END),
  constraint mints_released_check CHECK (((state = 'released'::text) = (released_at IS NOT NULL))),
  constraint mints_state_check CHECK ((state = ANY ('{deciding,minted,declined,released}'::text[]))),
  constraint mints_wrong_cvv_count_check CHECK (((wrong_cvv_count >= 0) AND (wrong_cvv_count <= 5)))
);
CREATE INDEX mints_open_mandate_id_idx ON simnet.mints USING btree (mandate_id) WHERE (credential_state = 'open'::text);

create table simnet.scripted_failures (
  subject_id text not null,
  failure text not null,
  happened_at timestamp with time zone not null,
  constraint scripted_failures_pkey PRIMARY KEY (subject_id, failure)
);

create table simnet.step_ups (
  entry_id uuid not null,
  card_id text not null,
  state text not null,
  wrong_code_count integer not null,
  asked_at timestamp with time zone not null,
  constraint step_ups_pkey PRIMARY KEY (entry_id),
  constraint step_ups_state_check CHECK ((state = ANY ('{open,exhausted,passed}'::text[]))),
  constraint step_ups_wrong_code_count_check CHECK (((wrong_code_count >= 0) AND (wrong_code_count <= 3))),
  constraint step_ups_card_id_fkey FOREIGN KEY (card_id) REFERENCES simnet.tokens(card_id)
);
CREATE INDEX step_ups_card_id_idx ON simnet.step_ups USING btree (card_id);

create table simnet.tokens (
  card_id text not null,
  token_ref text,
  state text not null,
  card_fingerprint bytea,
  card_last4 text,
  card_brand text,
  behaviour text,
  wrong_code_count integer not null,
  created_at timestamp with time zone not null,
  activated_at timestamp with time zone,
  deleted_at timestamp with time zone,
  constraint tokens_pkey PRIMARY KEY (card_id),
  constraint tokens_token_ref_key UNIQUE (token_ref),
  constraint tokens_card_check CHECK (((state = 'deleted'::text) OR (num_nulls(card_fingerprint, card_last4, behaviour) = 0))),
  constraint tokens_card_last4_check CHECK ((card_last4 ~ '^[0-9]{4}$'::text)),
  constraint tokens_state_check CHECK ((state = ANY ('{step_up,step_up_exhausted,active,deleted}'::text[]))),
  constraint tokens_token_ref_check CHECK (((state <> 'active'::text) OR (token_ref IS NOT NULL))),
  constraint tokens_wrong_code_count_check CHECK (((wrong_code_count >= 0) AND (wrong_code_count <= 3)))
);

create table simnet.windows (
  mandate_id text not null,
  started_at timestamp with time zone not null,
  spent_minor bigint not null,
  constraint windows_pkey PRIMARY KEY (mandate_id, started_at),
  constraint windows_spent_minor_check CHECK ((spent_minor >= 0)),
  constraint windows_mandate_id_fkey FOREIGN KEY (mandate_id) REFERENCES simnet.instructions(mandate_id)
);
