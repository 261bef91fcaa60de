-- What:   the two rules of sessions that 0061 has narrowed are checked for the rows that are there.
-- Why:    the check reads the table; by itself it holds up nobody.
-- Impact: reads the table once, beside writers.
-- Compatible with the previous release: yes, as 0061.

alter table sessions validate constraint sessions_kind_check;
alter table sessions validate constraint sessions_subject_check;
