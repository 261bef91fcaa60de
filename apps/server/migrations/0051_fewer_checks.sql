-- What:   the hot tables lose their CHECKs, but for the state of cards, charges and mandates and where a credential may be, the foreign keys
--         among them, and two indexes that served these. What they said is asked by `mintmark rows verify` and by the job `rows.look`, and their
--         way back is in `back`.
-- Why:    PostgreSQL reads, plans and compiles each CHECK of a table from its text with every statement that writes a row, and each foreign key is
--         a query and a lock more: a fifth of its time for a payment.
-- Impact: a moment's lock of eleven tables; no row is read or written. Behind a long transaction, such as a dump, requests wait for the five
--         seconds that this waits, and some fail: run it when there is none.
-- Compatible with the previous release: yes.

-- Under `migrate` it is set already.
set local lock_timeout = '5s';
-- Requests lock in several orders, so that some wait for this in a ring: PostgreSQL ends one of them, and it is tried again.
lock table customers, sessions, mandates, charges, passkeys, cards, approvals, captured_events, open_work, passkey_challenges, vault_records
  in access exclusive mode;

alter table sessions
  drop constraint if exists sessions_agent_check,
  drop constraint if exists sessions_effective_minutes_check,
  drop constraint if exists sessions_integration_type_check,
  drop constraint if exists sessions_kind_check,
  drop constraint if exists sessions_order_check,
  drop constraint if exists sessions_proof_check,
  drop constraint if exists sessions_proven_check,
  drop constraint if exists sessions_subject_check,
  drop constraint if exists sessions_card_id_fkey,
  drop constraint if exists sessions_vault_record_fkey;

alter table charges
  drop constraint if exists charges_amount_minor_check,
  drop constraint if exists charges_delivery_check,
  drop constraint if exists charges_failure_check,
  drop constraint if exists charges_life_minutes_check,
  drop constraint if exists charges_likeness_check,
  drop constraint if exists charges_network_confirmation_check,
  drop constraint if exists charges_paid_minor_check,
  drop constraint if exists charges_reported_outcome_check,
  drop constraint if exists charges_card_id_fkey,
  drop constraint if exists charges_mandate_id_fkey;

alter table mandates
  drop constraint if exists mandates_approved_check,
  drop constraint if exists mandates_approved_minor_check,
  drop constraint if exists mandates_charge_count_check,
  drop constraint if exists mandates_failure_check,
  drop constraint if exists mandates_frequency_check,
  drop constraint if exists mandates_max_charges_check,
  drop constraint if exists mandates_merchant_scope_check,
  drop constraint if exists mandates_one_time_check,
  drop constraint if exists mandates_window_check,
  drop constraint if exists mandates_window_spent_check,
  drop constraint if exists mandates_card_id_fkey,
  drop constraint if exists mandates_customer_id_fkey;

alter table cards
  drop constraint if exists cards_deletion_check,
  drop constraint if exists cards_deletion_reason_check,
  drop constraint if exists cards_ending_check,
  drop constraint if exists cards_ending_reason_check,
  drop constraint if exists cards_once_check,
  drop constraint if exists cards_token_check,
  drop constraint if exists cards_customer_id_fkey,
  drop constraint if exists cards_vault_record_id_fkey;

alter table passkeys drop constraint if exists passkeys_customer_id_fkey;

alter table approvals drop constraint if exists approvals_subject_type_check;

alter table captured_events drop constraint if exists captured_events_parked_check;

alter table open_work drop constraint if exists open_work_kind_check;

alter table passkey_challenges
  drop constraint if exists passkey_challenges_ceremony_check,
  drop constraint if exists passkey_challenges_subject_type_check;

-- Its foreign key stays: it leads to no hot table, and is what refuses to retire a key of a number that is being written.
alter table vault_records
  drop constraint if exists vault_records_added_by_check,
  drop constraint if exists vault_records_exp_month_check,
  drop constraint if exists vault_records_last4_check;

drop index if exists cards_vault_record_id_idx;
drop index if exists sessions_preselected_vault_record_id_idx;
