-- What:   when an API key was last used.
-- Why:    after a restore, and after a leak, an operator has to know which keys somebody works with.
-- Impact: one column without a value: no row is rewritten.
-- Compatible with the previous release: yes, it writes none, and reads the columns it knows by name.

-- To within some minutes: each process writes what it saw once in a while, never with a request. Not sealed: nothing is decided by it.
alter table api_keys add column last_used_at timestamptz;
