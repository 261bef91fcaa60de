-- What:   the rules of mandates that 0064 has narrowed, and the key from charges to standing ones, are checked for the rows
--         that are there.
-- Why:    the check reads the tables; by itself it holds up no writer.
-- Impact: reads two tables once, beside writers.
-- Compatible with the previous release: yes, as 0064.

alter table mandates validate constraint mandates_approved_check;
alter table mandates validate constraint mandates_failure_check;
alter table mandates validate constraint mandates_window_check;
alter table charges validate constraint charges_standing_mandate_id_fkey;
