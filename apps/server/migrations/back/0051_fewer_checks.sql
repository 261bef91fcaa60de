-- The way back from 0051_fewer_checks.sql, for whom the database itself is to refuse such rows: with each statement it costs what 0051 saved.
--   psql --set ON_ERROR_STOP=1 --file back/0051_fewer_checks.sql "$DATABASE_URL"
-- First `mintmark rows verify`, and not beside a long transaction. It may be run again after whatever ended it: a deadlock, a lock that was not to be
-- had in five seconds, or a row that contradicts itself, with the name of the rule (`mintmark rows verify` names the row). All rules hold what is
-- written by then; edit that row. What comes after the first transaction waits for locks as long as it takes, and keeps nobody waiting.
-- This release and the one before run with the rules and without them. 0051 counts as applied, and takes them away again by hand:
--   psql --set ON_ERROR_STOP=1 --single-transaction --file 0051_fewer_checks.sql "$DATABASE_URL"

begin;
-- As if they had never been there: this may have been run before.
\ir ../0051_fewer_checks.sql

alter table sessions
  add constraint sessions_agent_check check ((agent_id is null) = (agent_name is null) and (agent_id is null) = (agent_seal is null)) not valid,
  add constraint sessions_effective_minutes_check check (effective_minutes >= 1) not valid,
  add constraint sessions_integration_type_check check (integration_type = any ('{full_checkout,embedding}')) not valid,
  add constraint sessions_kind_check check (kind = any ('{payment,mandate_setup,enrollment}')) not valid,
  add constraint sessions_order_check check (
    (kind = 'enrollment') = (order_id is null) and (order_id is null) = (effective_minutes is null)) not valid,
  add constraint sessions_proof_check check (proof = any ('{entered,code}')) not valid,
  add constraint sessions_proven_check check ((proven_card_id is null) = (proof is null)) not valid,
  add constraint sessions_subject_check check (
    (kind = 'payment') = (charge_id is not null) and (kind = 'mandate_setup') = (mandate_id is not null)) not valid,
  add constraint sessions_card_id_fkey
    foreign key (merchant_id, card_id) references cards (merchant_id, id) not valid,
  add constraint sessions_vault_record_fkey
    foreign key (merchant_id, preselected_vault_record_id) references vault_records (merchant_id, id) not valid;

alter table charges
  add constraint charges_amount_minor_check check (amount_minor > 0) not valid,
  add constraint charges_delivery_check check (
    (delivery_shop_id is null) = (delivery_session_id is null) and (delivery_shop_id is null or agent_id is not null)) not valid,
  add constraint charges_failure_check check ((status = 'failed') = (failure_code is not null)) not valid,
  add constraint charges_life_minutes_check check (life_minutes >= 1) not valid,
  add constraint charges_likeness_check check (likeness is null or agent_id is not null) not valid,
  add constraint charges_network_confirmation_check check (network_confirmation = any ('{SUCCESS,FAILURE}')) not valid,
  add constraint charges_paid_minor_check check (paid_minor >= 0) not valid,
  add constraint charges_reported_outcome_check check (reported_outcome = any ('{APPROVED,DECLINED}')) not valid,
  add constraint charges_card_id_fkey
    foreign key (merchant_id, card_id) references cards (merchant_id, id) not valid,
  add constraint charges_mandate_id_fkey
    foreign key (merchant_id, mandate_id) references mandates (merchant_id, id) not valid;

alter table mandates
  add constraint mandates_approved_check check (
    num_nulls(card_id, approval_hash, seal) = 0
    or num_nonnulls(card_id, approval_hash, seal) = 0 and activated_at is null and not per_checkout) not valid,
  add constraint mandates_approved_minor_check check (approved_minor > 0) not valid,
  add constraint mandates_charge_count_check check (charge_count >= 0 and charge_count <= max_charges) not valid,
  add constraint mandates_failure_check check (
    failure_code is null or activated_at is null and status = any ('{cancelled,expired}') and not per_checkout) not valid,
  add constraint mandates_frequency_check check (frequency = any ('{one_time,weekly,monthly,yearly}')) not valid,
  add constraint mandates_max_charges_check check (max_charges >= 1) not valid,
  add constraint mandates_merchant_scope_check check (merchant_scope = any ('{any,listed}')) not valid,
  add constraint mandates_one_time_check check (frequency <> 'one_time' or not max_charges is distinct from 1) not valid,
  add constraint mandates_window_check check (
    per_checkout or activated_at is null or window_started_at is not null and (window_ends_at is null) = (frequency = 'one_time')) not valid,
  add constraint mandates_window_spent_check check (window_spent_minor >= 0 and window_spent_minor <= approved_minor) not valid,
  add constraint mandates_card_id_fkey
    foreign key (merchant_id, card_id) references cards (merchant_id, id) not valid,
  add constraint mandates_customer_id_fkey
    foreign key (merchant_id, customer_id) references customers (merchant_id, id) not valid;

alter table cards
  add constraint cards_deletion_check check (
    num_nulls(deleted_at, deletion_reason, was_default, network_token_deleted) = any (array[0, 4])
    and (deleted_at is null or status <> 'active' and accepted_at is not null)) not valid,
  add constraint cards_deletion_reason_check check (
    deletion_reason = any ('{CUSTOMER_CONFIRMED,LOST,STOLEN,SUSPECTED_FRAUD,CLOSED_ACCOUNT,OTHER,JUST_ONCE}')) not valid,
  add constraint cards_ending_check check (ending_reason is null or status = 'active') not valid,
  add constraint cards_ending_reason_check check (
    ending_reason = any ('{CUSTOMER_CONFIRMED,LOST,STOLEN,SUSPECTED_FRAUD,CLOSED_ACCOUNT,OTHER,JUST_ONCE}')) not valid,
  add constraint cards_once_check check (once_sessions is null or status <> 'deleted' and not is_default) not valid,
  add constraint cards_token_check check (status <> 'active' or num_nulls(network_token_ref, seal, accepted_at) = 0) not valid,
  add constraint cards_customer_id_fkey
    foreign key (merchant_id, customer_id) references customers (merchant_id, id) not valid,
  add constraint cards_vault_record_id_fkey
    foreign key (merchant_id, vault_record_id) references vault_records (merchant_id, id) deferrable initially deferred not valid;

alter table passkeys
  add constraint passkeys_customer_id_fkey foreign key (merchant_id, customer_id) references customers (merchant_id, id) not valid;

alter table approvals
  add constraint approvals_subject_type_check check (subject_type = any ('{session,agent_link,agent_limits,escalation}')) not valid;

alter table captured_events add constraint captured_events_parked_check check (parked = any ('{too_large,duplicate}')) not valid;

alter table open_work
  add constraint open_work_kind_check check (kind = any ('{charge,mandate,card,deletion,token,endpoint,mail,purchase}')) not valid;

alter table passkey_challenges
  add constraint passkey_challenges_ceremony_check check (ceremony = any ('{registration,assertion}')) not valid,
  add constraint passkey_challenges_subject_type_check check (
    subject_type = any ('{session,agent_link,agent_limits,escalation,owner_visit}')) not valid;

alter table vault_records
  add constraint vault_records_added_by_check check (added_by = any ('{cardholder,merchant}')) not valid,
  add constraint vault_records_exp_month_check check (exp_month >= 1 and exp_month <= 12) not valid,
  add constraint vault_records_last4_check check (last4 ~ '^[0-9]{4}$') not valid;

commit;

-- By these a row that is to be deleted finds who names it.
create index concurrently if not exists cards_vault_record_id_idx on cards (vault_record_id, merchant_id);
create index concurrently if not exists sessions_preselected_vault_record_id_idx on sessions (preselected_vault_record_id, merchant_id)
  where preselected_vault_record_id is not null;

-- The rows that are there are read, while others go on.
alter table sessions
  validate constraint sessions_agent_check,
  validate constraint sessions_effective_minutes_check,
  validate constraint sessions_integration_type_check,
  validate constraint sessions_kind_check,
  validate constraint sessions_order_check,
  validate constraint sessions_proof_check,
  validate constraint sessions_proven_check,
  validate constraint sessions_subject_check,
  validate constraint sessions_card_id_fkey,
  validate constraint sessions_vault_record_fkey;

alter table charges
  validate constraint charges_amount_minor_check,
  validate constraint charges_delivery_check,
  validate constraint charges_failure_check,
  validate constraint charges_life_minutes_check,
  validate constraint charges_likeness_check,
  validate constraint charges_network_confirmation_check,
  validate constraint charges_paid_minor_check,
  validate constraint charges_reported_outcome_check,
  validate constraint charges_card_id_fkey,
  validate constraint charges_mandate_id_fkey;

alter table mandates
  validate constraint mandates_approved_check,
  validate constraint mandates_approved_minor_check,
  validate constraint mandates_charge_count_check,
  validate constraint mandates_failure_check,
  validate constraint mandates_frequency_check,
  validate constraint mandates_max_charges_check,
  validate constraint mandates_merchant_scope_check,
  validate constraint mandates_one_time_check,
  validate constraint mandates_window_check,
  validate constraint mandates_window_spent_check,
  validate constraint mandates_card_id_fkey,
  validate constraint mandates_customer_id_fkey;

alter table cards
  validate constraint cards_deletion_check,
  validate constraint cards_deletion_reason_check,
  validate constraint cards_ending_check,
  validate constraint cards_ending_reason_check,
  validate constraint cards_once_check,
  validate constraint cards_token_check,
  validate constraint cards_customer_id_fkey,
  validate constraint cards_vault_record_id_fkey;

alter table passkeys validate constraint passkeys_customer_id_fkey;

alter table approvals validate constraint approvals_subject_type_check;

alter table captured_events validate constraint captured_events_parked_check;

alter table open_work validate constraint open_work_kind_check;

alter table passkey_challenges
  validate constraint passkey_challenges_ceremony_check,
  validate constraint passkey_challenges_subject_type_check;

alter table vault_records
  validate constraint vault_records_added_by_check,
  validate constraint vault_records_exp_month_check,
  validate constraint vault_records_last4_check;
