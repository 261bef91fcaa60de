-- What:   whose agent has asked for a quote; none: a merchant has.
-- Why:    the agent of another owner neither reads it nor has it bought.
-- Impact: a column without a value: no row is rewritten. A quote that an agent asked for before is found by no agent; it was good for 15 minutes.
-- Compatible with the previous release: yes, it reads the columns it knows by name.
alter table quotes add column owner_id text;
