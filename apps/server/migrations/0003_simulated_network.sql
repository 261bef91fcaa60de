-- What:   the simulated card network's own tables, in a schema of their own.
-- Why:    the sandbox's network keeps tokens, instructions, mints and authorizations as a real one would; the service
--         reaches them through the CardNetwork port only.
-- Impact: new tables; no lock on existing ones, no size.
-- Compatible with the previous release: yes, it does not know the schema.
--
-- This stands for somebody else's system: no foreign key leads from here to the service's tables, and no merchant_id.
-- Card numbers and credentials never lie here in the clear: a dump shows keyed hashes and AES-256-GCM ciphertext.

create schema simnet;

-- One row for each card the service asked a token for. A refused card leaves none, and one that the service has ended a tombstone, which
-- tells of no card if none came before.
create table simnet.tokens (
  card_id text constraint tokens_pkey primary key,
  token_ref text constraint tokens_token_ref_key unique,
  state text not null constraint tokens_state_check
    check (state = any ('{step_up,step_up_exhausted,active,deleted}')),
  -- Keyed hash of the card number, with a key of its own per card id: two rows of one number are unrelated.
  card_fingerprint bytea,
  card_last4 text constraint tokens_card_last4_check check (card_last4 ~ '^[0-9]{4}$'),
  -- By which its issuer's colours are known; null: none of ours.
  card_brand text,
  -- Which script of the test-card table this card follows.
  behaviour text,
  wrong_code_count integer not null constraint tokens_wrong_code_count_check check (wrong_code_count between 0 and 3),
  created_at timestamptz not null,
  activated_at timestamptz,
  deleted_at timestamptz,
  constraint tokens_token_ref_check check (state <> 'active' or token_ref is not null),
  constraint tokens_card_check check (state = 'deleted' or num_nulls(card_fingerprint, card_last4, behaviour) = 0)
);

-- A code that the service asked for, of a card that has its token already: one row for each entry of the cardholder.
create table simnet.step_ups (
  entry_id uuid constraint step_ups_pkey primary key,
  card_id text not null constraint step_ups_card_id_fkey references simnet.tokens (card_id),
  state text not null constraint step_ups_state_check check (state = any ('{open,exhausted,passed}')),
  wrong_code_count integer not null constraint step_ups_wrong_code_count_check check (wrong_code_count between 0 and 3),
  asked_at timestamptz not null
);
create index step_ups_card_id_idx on simnet.step_ups (card_id);

-- A cancelled row without terms is a tombstone: the cancellation came before the registration.
create table simnet.instructions (
  mandate_id text constraint instructions_pkey primary key,
  state text not null constraint instructions_state_check check (state = any ('{active,cancelled}')),
  instruction_ref text,
  token_ref text constraint instructions_token_ref_fkey references simnet.tokens (token_ref),
  -- Hash over all terms as registered, so that the same id with other terms is noticed.
  terms_hash bytea,
  currency text,
  cap_minor bigint constraint instructions_cap_minor_check check (cap_minor > 0),
  frequency text constraint instructions_frequency_check
    check (frequency = any ('{one_time,weekly,monthly,yearly}')),
  max_charges integer constraint instructions_max_charges_check check (max_charges >= 1),
  charge_count integer not null constraint instructions_charge_count_check check (charge_count >= 0),
  -- Null on a registered instruction: any merchant.
  merchant_host text,
  valid_until timestamptz,
  -- Windows are anchored here.
  registered_at timestamptz,
  cancelled_at timestamptz,
  constraint instructions_terms_check check (
    state = 'cancelled' or num_nulls(instruction_ref, token_ref, terms_hash, currency, cap_minor,
      frequency, valid_until, registered_at) = 0
  ),
  constraint instructions_count_limit_check check (charge_count <= max_charges),
  constraint instructions_one_time_check check (frequency <> 'one_time' or max_charges is not distinct from 1)
);
create index instructions_token_ref_idx on simnet.instructions (token_ref);

-- What is spent of an instruction's cap in one window.
create table simnet.windows (
  mandate_id text not null constraint windows_mandate_id_fkey references simnet.instructions (mandate_id),
  started_at timestamptz not null,
  spent_minor bigint not null constraint windows_spent_minor_check check (spent_minor >= 0),
  constraint windows_pkey primary key (mandate_id, started_at)
);

-- One row for each charge id ever asked for: the outcome of the mint, and the life of its credential. A refused mint may
-- name a mandate nobody registered, hence no foreign key.
create table simnet.mints (
  charge_id text constraint mints_pkey primary key,
  mandate_id text not null,
  -- deciding: seen only inside the transaction that claimed the charge id.
  state text not null constraint mints_state_check check (state = any ('{deciding,minted,declined}')),
  decline_reason text,
  currency text not null,
  amount_minor bigint not null constraint mints_amount_minor_check check (amount_minor > 0),
  merchant_host text,
  asked_at timestamptz not null,
  window_started_at timestamptz,
  number_sealed bytea,
  -- Keyed hash of the number: how the acquirer finds it. Unique, so no two credentials share a number.
  number_lookup bytea constraint mints_number_lookup_key unique,
  cvv_sealed bytea,
  expiry_month text constraint mints_expiry_month_check check (expiry_month ~ '^(0[1-9]|1[0-2])$'),
  expiry_year text constraint mints_expiry_year_check check (expiry_year ~ '^[0-9]{4}$'),
  valid_until timestamptz,
  -- open: may be spent. used: approved once. blocked: too many wrong CVVs. closed: ended by the service.
  credential_state text constraint mints_credential_state_check
    check (credential_state = any ('{open,used,blocked,closed}')),
  wrong_cvv_count integer not null constraint mints_wrong_cvv_count_check check (wrong_cvv_count between 0 and 5),
  confirmed_outcome text constraint mints_confirmed_outcome_check check (confirmed_outcome = any ('{APPROVED,DECLINED}')),
  confirmed_at timestamptz,
  confirmed_paid_minor bigint constraint mints_confirmed_paid_minor_check check (confirmed_paid_minor >= 0),
  confirmed_authorization_code text,
  confirmed_response_code text,
  constraint mints_declined_check check ((state = 'declined') = (decline_reason is not null)),
  constraint mints_minted_check check (
    case when state = 'minted'
      then num_nulls(merchant_host, window_started_at, number_sealed, number_lookup, cvv_sealed, expiry_month,
        expiry_year, valid_until, credential_state) = 0
      else num_nonnulls(number_sealed, number_lookup, cvv_sealed, credential_state, confirmed_outcome) = 0
    end
  ),
  constraint mints_confirmed_check check ((confirmed_outcome is null) = (confirmed_at is null))
);
-- What a cancellation has to close.
create index mints_open_mandate_id_idx on simnet.mints (mandate_id) where credential_state = 'open';

-- Every attempt at the acquirer, approved or not. charge_id is null when the number is unknown.
create table simnet.authorizations (
  authorization_id text constraint authorizations_pkey primary key,
  charge_id text constraint authorizations_charge_id_fkey references simnet.mints (charge_id),
  currency text not null,
  amount_minor bigint not null,
  merchant_host text,
  response_code text not null constraint authorizations_response_code_check check (response_code ~ '^[0-9]{2}$'),
  authorization_code text,
  attempted_at timestamptz not null,
  constraint authorizations_code_check check ((response_code = '00') = (authorization_code is not null))
);
-- What a report is compared with.
create index authorizations_charge_id_idx on simnet.authorizations (charge_id);
-- A credential is approved once, whatever the code above does.
create unique index authorizations_approved_charge_id_key on simnet.authorizations (charge_id)
  where response_code = '00';

-- Scripted failures that happen once for a card or a charge; the row says it has happened.
create table simnet.scripted_failures (
  subject_id text not null,
  failure text not null,
  happened_at timestamptz not null,
  constraint scripted_failures_pkey primary key (subject_id, failure)
);
