-- What:   what was said about keeping a card and what its cardholder answered, with the card; with the session while a code is awaited.
-- Why:    nobody could show which words somebody had agreed to.
-- Impact: two columns without a value: no row is rewritten.
-- Compatible with the previous release: yes, it reads the columns it knows by name.
alter table cards add column keeping text;
alter table sessions add column entry_keeping text;
