-- What:   merchants and their keys, customers, vault, cards, sessions, mandates, charges.
-- Why:    the first slice: a cardholder approves a purchase and a single-use credential comes back.
-- Impact: empty database; no lock, no size.
-- Compatible with the previous release: there is none.
--
-- Rules of this schema: `merchant_id` leads every primary key, unique index and foreign key of tenant data; no sequence
-- and no now() as order; time comes from the program's clock as a parameter; every constraint and index has a name,
-- because code maps violations by name; foreign keys come after all tables. The words that a check allows are one array: each
-- write reads and plans the checks of its table from their stored text, where a list of words is an expression for each.
--
-- Only a primary key, and a unique index that statements look rows up by, is led by merchant_id: plans may be made while a
-- table is empty and all indexes look the same, and one that is narrowed by the merchant alone reads all of its rows.

create table merchants (
  id text constraint merchants_pkey primary key,
  name text not null,
  status text not null constraint merchants_status_check check (status = any ('{active,suspended}')),
  -- Origins that may embed the secure surface, e.g. https://shop.example; a port may be * in the sandbox.
  allowed_origins text[] not null,
  -- The network configuration payments run on; null until the operator has set one (CONFIG_ERROR).
  network_profile text,
  -- Which cards it accepts: countries by their two letters, issuers by name. Null: any.
  card_countries text[],
  card_issuers text[],
  webhook_secret_sealed bytea not null,
  webhook_secret_key_id text not null,
  created_at timestamptz not null
);

create index merchants_webhook_secret_key_id_idx on merchants (webhook_secret_key_id, id);

-- Sessions a merchant may still create; no row: unlimited. Not a column of merchants, because it changes with every
-- session, and what rarely changes should stay cheap to read everywhere.
create table session_allowances (
  merchant_id text constraint session_allowances_pkey primary key,
  remaining bigint not null constraint session_allowances_remaining_check check (remaining >= 0)
);

-- `seal`, in this table and others: a keyed hash over the columns that decide whose a row is and what it allows, so that
-- an edited row is refused (platform/row-seals.ts).

-- The id part of a key is public and says which row to look at; the whole key is stored as a keyed hash only.
create table api_keys (
  id text constraint api_keys_pkey primary key,
  merchant_id text not null,
  kind text not null constraint api_keys_kind_check check (kind = any ('{secret,publishable,wallet}')),
  -- A control-plane key is a dashboard's: it names one of its users with each call, and sees what is theirs.
  role text not null constraint api_keys_role_check check (role = any ('{merchant,control_plane}')),
  key_hash bytea not null,
  seal bytea not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  constraint api_keys_role_kind_check check (role = 'merchant' or kind = 'secret')
);
create index api_keys_merchant_id_idx on api_keys (merchant_id);

-- No foreign key to merchants, whose rows are never deleted: with each new customer it would lock the row of the merchant, which
-- all creations share. The statement that inserts reads the merchant anyway.
create table customers (
  merchant_id text not null,
  id text not null,
  -- The merchant's own name for the person: user_id on the wire. Compared byte by byte, never normalised.
  external_user_id text not null,
  email text not null,
  phone text,
  country text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Rises with each captured change.
  version integer not null default 0,
  constraint customers_pkey primary key (merchant_id, id),
  constraint customers_external_user_id_key unique (merchant_id, external_user_id)
);

-- Card numbers, each under a data key of its own. The CVV has no column anywhere. No foreign key to merchants, as with
-- customers: each new card would lock and change the merchant's row.
create table vault_records (
  merchant_id text not null,
  id uuid not null,
  number_sealed bytea not null,
  number_key_id text not null,
  last4 text not null constraint vault_records_last4_check check (last4 ~ '^[0-9]{4}$'),
  brand text,
  exp_month smallint not null constraint vault_records_exp_month_check check (exp_month between 1 and 12),
  exp_year smallint not null,
  -- A cardholder's record goes with their card; a merchant's record is the merchant's to delete.
  added_by text not null constraint vault_records_added_by_check check (added_by = any ('{cardholder,merchant}')),
  created_at timestamptz not null,
  constraint vault_records_pkey primary key (merchant_id, id)
);
-- What a key still wraps, merchant by merchant; also looked at when a key is retired.
create index vault_records_number_key_id_idx on vault_records (number_key_id, merchant_id, id);

create table cards (
  merchant_id text not null,
  id text not null,
  customer_id text not null,
  -- Null once the number was shredded (refused or deleted cards).
  vault_record_id uuid,
  -- Keyed hash of the number, with a key of its own per customer: equal for one customer, unrelated for any two.
  fingerprint bytea not null,
  -- Over whose card of which number the row is, for as long as there is one: the network knows the card by the id.
  entry_seal bytea not null,
  last4 text not null,
  brand text,
  exp_month smallint not null,
  exp_year smallint not null,
  status text not null constraint cards_status_check check (status = any ('{provisioning,active,deleted}')),
  network_token_ref text,
  -- The customer's passkey that this card belongs to, and a seal over that. Null: entered, and no passkey was made with it yet.
  passkey_id text,
  passkey_seal bytea,
  -- Made when the network accepts the card.
  seal bytea,
  -- The network sent the cardholder a code and waits for it.
  step_up_pending boolean not null,
  is_default boolean not null,
  -- Just this once: the sessions in which it was entered so, and which alone may use it; it is deleted when they have ended.
  -- Null: it is kept for next time.
  once_sessions text[],
  -- Its deletion has begun, and why: what the network says of it is not known here yet.
  ending_reason text constraint cards_ending_reason_check
    check (ending_reason = any ('{CUSTOMER_CONFIRMED,LOST,STOLEN,SUSPECTED_FRAUD,CLOSED_ACCOUNT,OTHER,JUST_ONCE}')),
  -- How often it was enrolled; each time the network has another id and another token for it.
  enrolment integer not null default 1,
  -- The colours that the network wants it shown in; null: it named none.
  design jsonb,
  -- When its merchant, who provisions it alone, first named a consent of its customer to this enrolment.
  consent_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the network accepted it, last. Null: it never did, and merchants do not see the card.
  accepted_at timestamptz,
  -- Of a card that was deleted: what came of it, for who asks again. Kept until the network accepts the card anew.
  deleted_at timestamptz,
  deletion_reason text constraint cards_deletion_reason_check
    check (deletion_reason = any ('{CUSTOMER_CONFIRMED,LOST,STOLEN,SUSPECTED_FRAUD,CLOSED_ACCOUNT,OTHER,JUST_ONCE}')),
  was_default boolean,
  network_token_deleted boolean,
  -- Rises with every change that is captured as an event of the card.
  version integer not null default 0,
  constraint cards_pkey primary key (merchant_id, id),
  constraint cards_token_check check (status <> 'active' or num_nulls(network_token_ref, seal, accepted_at) = 0),
  constraint cards_once_check check (once_sessions is null or (status <> 'deleted' and not is_default)),
  constraint cards_ending_check check (ending_reason is null or status = 'active'),
  constraint cards_deletion_check check (num_nulls(deleted_at, deletion_reason, was_default, network_token_deleted) in (0, 4)
    and (deleted_at is null or (status <> 'active' and accepted_at is not null)))
);
-- One card a number and customer: entering it again continues it, also from two tabs at once, and brings back a deleted one.
create unique index cards_fingerprint_key on cards (merchant_id, customer_id, fingerprint)
  where status <> 'deleted' or accepted_at is not null;
-- One default card a customer, however many are accepted at the same moment.
create unique index cards_default_key on cards (merchant_id, customer_id) where is_default;
create index cards_vault_record_id_idx on cards (vault_record_id, merchant_id);
-- The cards of a customer that are not kept: there are few, for minutes.
create index cards_once_idx on cards (merchant_id, customer_id) where once_sessions is not null;
-- To find the cards that were begun and left: over all merchants, and inside one.
create index cards_begun_updated_at_idx on cards (updated_at) where status = 'provisioning';
create index cards_merchant_begun_updated_at_idx on cards (merchant_id, updated_at) where status = 'provisioning';

-- A grant: what one cardholder may do on the secure surface, once, for a time. Its status is that of its subject (of a
-- payment: the charge; of a setup: the standing mandate) and is stored there.
-- No foreign keys to customer and subject: one statement writes all three rows, and would check and lock two of them again.
create table sessions (
  merchant_id text not null,
  id text not null,
  customer_id text not null,
  -- Null: nothing is ordered by an enrollment.
  order_id text,
  kind text not null constraint sessions_kind_check check (kind = any ('{payment,mandate_setup,enrollment}')),
  -- The subject: of a payment the charge, of a setup the mandate; that of an enrollment has the id of the session.
  charge_id text,
  mandate_id text,
  integration_type text not null constraint sessions_integration_type_check
    check (integration_type = any ('{full_checkout,embedding}')),
  callback_url text,
  description text,
  -- How the total comes about, as the merchant says it: subtotal, shipping, tax, discount.
  summary jsonb,
  -- How long the per-checkout mandate lives once approved.
  effective_minutes integer constraint sessions_effective_minutes_check check (effective_minutes >= 1),
  preselected_vault_record_id uuid,
  -- The card chosen so far; fixed when the session closes.
  card_id text,
  -- The card that the cardholder proved in this session, and how: its number and CVV were entered, or its CVV and the
  -- network's code; and a seal over both. A card that belongs to no passkey yet is used in such a session only.
  proven_card_id text,
  proof text constraint sessions_proof_check check (proof = any ('{entered,code}')),
  proof_seal bytea,
  -- The entry of the chosen card that waits for the network's code.
  entry_id uuid,
  -- Of that entry: the card is for this session alone.
  entry_once boolean not null default false,
  -- Hash of the launch secret in the fragment of iframe_url.
  launch_hash bytea not null,
  -- Rises with every change of the session that is captured as an event.
  version integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When the cardholder's part ended: approved, cancelled, revoked or expired. A session is used once.
  closed_at timestamptz,
  constraint sessions_pkey primary key (merchant_id, id),
  constraint sessions_proven_check check ((proven_card_id is null) = (proof is null)),
  constraint sessions_subject_check
    check ((kind = 'payment') = (charge_id is not null) and (kind = 'mandate_setup') = (mandate_id is not null)),
  constraint sessions_order_check check ((kind = 'enrollment') = (order_id is null) and (order_id is null) = (effective_minutes is null))
);
-- To find the sessions that were not used in time: over all merchants, and inside one. The version, which is always positive, keeps
-- plans from finding a session by its key here, among all open ones of its merchant.
create index sessions_open_expires_at_idx on sessions (expires_at) where closed_at is null and version > 0;
create index sessions_merchant_open_expires_at_idx on sessions (merchant_id, expires_at)
  where closed_at is null and version > 0;
-- For the foreign key's other direction: each number that is destroyed is looked for here.
create index sessions_preselected_vault_record_id_idx on sessions (preselected_vault_record_id, merchant_id)
  where preselected_vault_record_id is not null;

create table mandates (
  merchant_id text not null,
  id text not null,
  customer_id text not null,
  -- Null until a standing mandate is approved, with the hash and the seal of its approval.
  card_id text,
  -- True for the one-time mandate an ordinary checkout makes of its approval.
  per_checkout boolean not null,
  status text not null constraint mandates_status_check
    check (status = any ('{pending,active,paused,consumed,cancelled,expired}')),
  frequency text not null constraint mandates_frequency_check
    check (frequency = any ('{one_time,weekly,monthly,yearly}')),
  merchant_scope text not null constraint mandates_merchant_scope_check check (merchant_scope = any ('{any,listed}')),
  -- As the cardholder saw it; the network has a name of its own.
  payee_name text not null,
  payee_network_name text not null,
  payee_url text not null,
  payee_country text not null,
  approved_minor bigint not null constraint mandates_approved_minor_check check (approved_minor > 0),
  currency text not null,
  max_charges integer constraint mandates_max_charges_check check (max_charges >= 1),
  valid_until timestamptz not null,
  approval_hash text,
  seal bytea,
  instruction_ref text,
  created_at timestamptz not null,
  activated_at timestamptz,
  ended_at timestamptz,
  -- The agent it was given to (null for a merchant's own), and of a standing mandate a seal over that and the merchant's user_id.
  agent_id text,
  owner_seal bytea,
  -- Of a standing mandate: the session that set it up, its order and the merchant's own reference of that, and what was to be
  -- bought, which a charge that names nothing else is for.
  session_id text,
  order_id text,
  external_order_ref text,
  payee_category_code text,
  payee_category text,
  products jsonb,
  -- Whether the cardholder may lower the cap or the end before allowing.
  adjustable boolean not null default false,
  -- Why the setup of a standing mandate came to nothing.
  failure_code text,
  -- Of a per-checkout mandate: its one charge.
  charge_id text,
  -- Of a standing mandate: the window that was charged last, what is spent of it, and how many charges there are in all.
  -- Charges count from the moment they are written; one that comes to nothing is given back. A window that has ended reads
  -- as nothing spent, so that nothing need be written when it ends. A per-checkout mandate has one charge, which says it all.
  window_started_at timestamptz,
  -- Null: the window never ends by itself.
  window_ends_at timestamptz,
  window_spent_minor bigint not null default 0,
  charge_count integer not null default 0,
  -- Rises with every change that is captured as an event of the mandate itself.
  version integer not null default 0,
  -- Null: not changed but for its activation and its end.
  updated_at timestamptz,
  constraint mandates_pkey primary key (merchant_id, id),
  constraint mandates_approved_check check (
    num_nulls(card_id, approval_hash, seal) = 0
    or (num_nonnulls(card_id, approval_hash, seal) = 0 and activated_at is null and not per_checkout)
  ),
  constraint mandates_failure_check check (
    failure_code is null or (activated_at is null and status = any ('{cancelled,expired}') and not per_checkout)
  ),
  -- Behind the statement that charges: whatever it does, no cap is passed.
  constraint mandates_window_spent_check check (window_spent_minor between 0 and approved_minor),
  constraint mandates_charge_count_check check (charge_count >= 0 and charge_count <= max_charges),
  -- So that what is for one time is charged once, in the statement that counts.
  constraint mandates_one_time_check check (frequency <> 'one_time' or max_charges is not distinct from 1),
  constraint mandates_window_check check (
    per_checkout or activated_at is null
    or (window_started_at is not null and (window_ends_at is null) = (frequency = 'one_time'))
  )
);
-- That there is a mandate, and it is another's. With operators that find an equal id and serve no order: in the order of the
-- id this index would look fit for lists, and lead them through the mandates of all merchants.
create index mandates_id_idx on mandates (id text_pattern_ops);
-- Lists go by the id, which begins with the time. Standing mandates are few among those of checkouts.
create index mandates_standing_id_idx on mandates (merchant_id, id) where not per_checkout;
create index mandates_customer_id_idx on mandates (customer_id, id);
create index mandates_standing_customer_id_idx on mandates (customer_id, id) where not per_checkout;

-- One charge is a wire transaction with its one line item.
create table charges (
  merchant_id text not null,
  id text not null,
  line_item_id text not null,
  order_id text not null,
  -- The merchant's own reference of the order.
  external_order_ref text,
  -- What opened the charge: a session, or null for a charge against a standing mandate. Named in events, never looked up.
  opened_by text,
  -- Of a purchase that the service itself makes at a shop: what was quoted there. Its merchant gets no credential.
  quote_id text,
  -- Of such a purchase in the sandbox: its result is shown as paid, whatever comes of it.
  simulated boolean not null default false,
  mandate_id text,
  -- Of a charge against a standing mandate: the mandate again, in a column that never changes, because it is indexed and an
  -- update that changes an index costs twice; the caller's own reference; and the window that the amount is taken from.
  standing_mandate_id text,
  reference text,
  window_started_at timestamptz,
  card_id text,
  status text not null constraint charges_status_check
    check (status = any ('{initiated,minting,awaiting_result,completed,failed}')),
  failure_code text,
  amount_minor bigint not null constraint charges_amount_minor_check check (amount_minor > 0),
  currency text not null,
  -- As the merchant writes it: shown and signed. The other is for the network only.
  payee_name text not null,
  payee_network_name text not null,
  payee_url text not null,
  payee_country text not null,
  payee_category_code text,
  payee_category text,
  products jsonb not null,
  -- Made from what was signed, when it is approved.
  seal bytea,
  -- The minted credential, encrypted; erased when the outcome is reported or the approval lapses.
  credential_sealed bytea,
  credential_key_id text,
  -- When it may no longer be used, unless it was reported: with its approval.
  lapses_at timestamptz,
  -- What the merchant reported; claimed once, before the network is told.
  reported_outcome text constraint charges_reported_outcome_check check (reported_outcome = any ('{APPROVED,DECLINED}')),
  reported_type text,
  authorization_code text,
  response_code text,
  paid_minor bigint constraint charges_paid_minor_check check (paid_minor >= 0),
  reported_at timestamptz,
  network_confirmation text constraint charges_network_confirmation_check
    check (network_confirmation = any ('{SUCCESS,FAILURE}')),
  -- Rises with every change that is captured as an event.
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint charges_pkey primary key (merchant_id, id),
  constraint charges_credential_check check (credential_sealed is null or status = 'awaiting_result'),
  constraint charges_failure_check check ((status = 'failed') = (failure_code is not null))
);
-- The charges of a standing mandate, newest first.
create index charges_standing_mandate_id_idx on charges (standing_mandate_id, created_at, id, merchant_id)
  where standing_mandate_id is not null;

-- The network calls to make, and what else there is to do at a time: a row is written together with its cause and deleted
-- with its end. It is not part of its subject, because it is found by when it is due: then nearly every update of the subject
-- would change those indexes as well.
create table open_work (
  merchant_id text not null,
  kind text not null constraint open_work_kind_check check (kind = any ('{charge,mandate,card,deletion,token,endpoint,mail,purchase}')),
  -- Of the charge (the purchase's too), mandate or card (the deletion's too); of a token the network's name of the card. No foreign key:
  -- it would be checked with each payment, and rows are never deleted there.
  id text not null,
  due_at timestamptz not null,
  attempts integer not null,
  -- Until then one worker has it.
  lease_until timestamptz,
  -- Raised by every claim. A result must carry it.
  lease_fence bigint not null,
  constraint open_work_pkey primary key (merchant_id, kind, id)
);
-- To find out who has due work, and to claim it inside one merchant. Attempts are never negative, and only lists of due work say so:
-- no plan finds one row here, among all of its merchant.
create index open_work_due_at_idx on open_work (kind, due_at) where attempts >= 0;
create index open_work_merchant_due_at_idx on open_work (kind, merchant_id, due_at) where attempts >= 0;

alter table session_allowances
  add constraint session_allowances_merchant_id_fkey foreign key (merchant_id) references merchants (id);
alter table api_keys add constraint api_keys_merchant_id_fkey foreign key (merchant_id) references merchants (id);
alter table cards
  add constraint cards_customer_id_fkey foreign key (merchant_id, customer_id) references customers (merchant_id, id),
  add constraint cards_vault_record_id_fkey foreign key (merchant_id, vault_record_id) references vault_records (merchant_id, id);
alter table mandates
  add constraint mandates_customer_id_fkey foreign key (merchant_id, customer_id)
    references customers (merchant_id, id),
  add constraint mandates_card_id_fkey foreign key (merchant_id, card_id) references cards (merchant_id, id);
alter table charges
  add constraint charges_mandate_id_fkey foreign key (merchant_id, mandate_id) references mandates (merchant_id, id),
  add constraint charges_card_id_fkey foreign key (merchant_id, card_id) references cards (merchant_id, id);
alter table sessions
  add constraint sessions_card_id_fkey foreign key (merchant_id, card_id) references cards (merchant_id, id),
  add constraint sessions_vault_record_fkey foreign key (merchant_id, preselected_vault_record_id) references vault_records (merchant_id, id);
