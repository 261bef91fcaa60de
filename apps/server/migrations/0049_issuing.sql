-- What:   what we hold of cards that an issuer makes for us one by one: tokens, instructions, their windows, and the cards.
-- Why:    an issuer has no counterpart of an instruction, so that its cap, windows, number, end and merchant are held here.
-- Impact: new tables in a schema of their own; no lock on existing ones, no size.
-- Compatible with the previous release: yes, it does not know the schema.
--
-- Behind the CardNetwork port, as the simulated network: no foreign key leads from here to the service's tables, and no
-- merchant_id. No number and no security code lies here, sealed or not: they are read at the issuer when they are needed.

create schema issuing;

-- One row for each card the service asked for; its token is the issuer's cardholder.
create table issuing.issuer_tokens (
  card_id text constraint issuer_tokens_pkey primary key,
  token_ref text constraint issuer_tokens_token_ref_key unique,
  state text not null constraint issuer_tokens_state_check check (state = any ('{asked,active,deleted}')),
  last4 text constraint issuer_tokens_last4_check check (last4 ~ '^[0-9]{4}$'),
  brand text,
  exp_month integer,
  exp_year integer,
  created_at timestamptz not null,
  deleted_at timestamptz,
  constraint issuer_tokens_active_check check (state <> 'active' or num_nulls(token_ref, last4, exp_month, exp_year) = 0)
);

-- A cancelled row without terms is a tombstone: the cancellation came before the registration.
create table issuing.issuer_instructions (
  mandate_id text constraint issuer_instructions_pkey primary key,
  state text not null constraint issuer_instructions_state_check check (state = any ('{active,cancelled}')),
  instruction_ref text,
  token_ref text,
  terms_hash bytea,
  currency text,
  cap_minor bigint constraint issuer_instructions_cap_minor_check check (cap_minor > 0),
  frequency text constraint issuer_instructions_frequency_check
    check (frequency = any ('{one_time,weekly,monthly,yearly}')),
  max_charges integer constraint issuer_instructions_max_charges_check check (max_charges >= 1),
  charge_count integer not null constraint issuer_instructions_charge_count_check check (charge_count >= 0),
  -- Null on a registered instruction: any merchant.
  merchant_host text,
  merchant_country text,
  valid_until timestamptz,
  registered_at timestamptz,
  cancelled_at timestamptz,
  constraint issuer_instructions_terms_check check (
    state = 'cancelled' or num_nulls(instruction_ref, token_ref, terms_hash, currency, cap_minor,
      frequency, valid_until, registered_at) = 0
  ),
  constraint issuer_instructions_count_limit_check check (charge_count <= max_charges)
);
create index issuer_instructions_token_ref_idx on issuing.issuer_instructions (token_ref);

-- What is spent of an instruction's cap in one window.
create table issuing.issuer_windows (
  mandate_id text not null,
  started_at timestamptz not null,
  spent_minor bigint not null constraint issuer_windows_spent_minor_check check (spent_minor >= 0),
  constraint issuer_windows_pkey primary key (mandate_id, started_at)
);

-- One row for each charge id ever asked for. It is there before the issuer is asked, so that no card is without one.
create table issuing.issuer_cards (
  charge_id text constraint issuer_cards_pkey primary key,
  mandate_id text,
  -- asked: the issuer may have made it. minted: it has, and we know which. returned: what it took is given back; also the
  -- tombstone of a release that came before the mint.
  state text not null constraint issuer_cards_state_check check (state = any ('{asked,minted,declined,returned}')),
  decline_reason text,
  -- The issuer's names of the card, and of the cardholder that it is of.
  issuer_card_id text constraint issuer_cards_issuer_card_id_key unique,
  token_ref text,
  currency text,
  amount_minor bigint constraint issuer_cards_amount_minor_check check (amount_minor > 0),
  merchant_country text,
  window_started_at timestamptz,
  valid_until timestamptz,
  asked_at timestamptz not null,
  confirmed_outcome text constraint issuer_cards_confirmed_outcome_check check (confirmed_outcome = any ('{APPROVED,DECLINED}')),
  constraint issuer_cards_declined_check check ((state = 'declined') = (decline_reason is not null)),
  constraint issuer_cards_minted_check check (state <> 'minted' or issuer_card_id is not null)
);
create index issuer_cards_mandate_id_idx on issuing.issuer_cards (mandate_id) where state = any ('{asked,minted}');
