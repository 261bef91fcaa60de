-- What:   the rules that 0071 has moved from sessions, and the keys that it has added, are checked for the rows that are there.
-- Why:    the check reads the tables; by itself it holds up no writer.
-- Impact: reads two tables, beside writers.
-- Compatible with the previous release: yes, as 0071.

alter table mandates validate constraint mandates_approved_check;
alter table mandates validate constraint mandates_vault_record_fkey;
alter table enrollments validate constraint enrollments_ceremony_check;
alter table enrollments validate constraint enrollments_integration_type_check;
alter table enrollments validate constraint enrollments_proof_check;
alter table enrollments validate constraint enrollments_proven_check;
alter table enrollments validate constraint enrollments_card_id_fkey;
alter table enrollments validate constraint enrollments_vault_record_fkey;
