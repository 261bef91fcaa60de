-- What:   what the card network tells of payments by itself: its facts, how far its news were read, and what a charge counts for since.
-- Why:    a payment that no merchant reports is completed, and what was captured is what its mandate has spent.
-- Impact: new tables; two columns without a default; two checks that look at no row: 0055 does. One index over the sandbox's authorizations.
-- Compatible with the previous release: yes, it does not know the tables, and writes none of the columns.

-- One row a fact: the network's own name of it, however often and by whichever way it was told.
create table network_facts (
  merchant_id text not null,
  id text not null,
  charge_id text not null,
  kind text not null constraint network_facts_kind_check
    check (kind = any ('{authorized,declined,captured,reversed,expired,refunded,disputed}')),
  amount_minor bigint not null constraint network_facts_amount_minor_check check (amount_minor >= 0),
  currency text not null,
  -- The shop, as the network names it.
  merchant_name text,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  constraint network_facts_pkey primary key (merchant_id, id)
);
create index network_facts_charge_id_idx on network_facts (merchant_id, charge_id);
create index network_facts_merchant_occurred_at_idx on network_facts (merchant_id, occurred_at);
alter table network_facts add constraint network_facts_charge_id_fkey
  foreign key (merchant_id, charge_id) references charges (merchant_id, id);

-- One row: until when the list of the network's news was read, and which process asks next.
create table network_reads (
  name text constraint network_reads_pkey primary key,
  asked_at timestamptz not null,
  read_until timestamptz not null
);

-- What a charge counts for in the window of its mandate, once the network has told; null: its amount, or nothing where it failed.
alter table charges add column counted_minor bigint constraint charges_counted_minor_check check (counted_minor >= 0);
-- What was captured above the amount counts whole.
alter table mandates drop constraint mandates_window_spent_check,
  add constraint mandates_window_spent_check check (window_spent_minor >= 0) not valid;
alter table open_work drop constraint open_work_kind_check,
  add constraint open_work_kind_check
    check (kind = any ('{mandate,card,deletion,token,endpoint,mail,purchase,observation}')) not valid;

-- The same at the issuer that makes cards for us, and at the simulated network.
alter table issuing.issuer_cards add column counted_minor bigint constraint issuer_cards_counted_minor_check check (counted_minor >= 0);
alter table simnet.mints add column counted_minor bigint constraint mints_counted_minor_check check (counted_minor >= 0);
create index authorizations_attempted_at_idx on simnet.authorizations (attempted_at);

-- What becomes of an approved authorization.
create table simnet.settlements (
  settlement_id text constraint settlements_pkey primary key,
  authorization_id text not null,
  charge_id text not null,
  kind text not null constraint settlements_kind_check check (kind = any ('{captured,reversed,expired,refunded,disputed}')),
  amount_minor bigint not null constraint settlements_amount_minor_check check (amount_minor > 0),
  occurred_at timestamptz not null
);
create index settlements_charge_id_idx on simnet.settlements (charge_id);
create index settlements_occurred_at_idx on simnet.settlements (occurred_at);
alter table simnet.settlements add constraint settlements_authorization_id_fkey
  foreign key (authorization_id) references simnet.authorizations (authorization_id);
