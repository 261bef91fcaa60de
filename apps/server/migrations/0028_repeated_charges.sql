-- What:   which charge of a moment ago a charge of an agent repeats.
-- Why:    its owner sees it marked.
-- Impact: a column without a value.
-- Compatible with the previous release: yes.

alter table charges add column duplicate_of text;
