-- What:   since when agents are held after a restore, and before when nothing that an agent has signed is taken.
-- Why:    a backup revives agents that were revoked since, and has forgotten which signatures were used.
-- Impact: two columns without a value in a table of one row.
-- Compatible with the previous release: yes, it reads the columns it knows by name.
alter table restored add column agents_held_since timestamptz, add column signatures_since timestamptz;
