-- What:   when the cardholder of a session was given more time.
-- Why:    ten minutes more are given once.
-- Impact: a column without a value: no row is rewritten.
-- Compatible with the previous release: yes, it reads the columns it knows by name.
alter table sessions add column extended_at timestamptz;
