-- What:   how long the credential of a charge against a mandate lives, and when it was told that no report came.
-- Why:    a credential lapses after the time that its charge asks for, also where a worker mints it.
-- Impact: two columns that may be null; no table is rewritten.
-- Compatible with the previous release: yes, it writes none of them.

-- Null: as long as the mandate. That of a checkout is made for it.
alter table charges
  add column life_minutes integer constraint charges_life_minutes_check check (life_minutes >= 1),
  add column overdue_at timestamptz;
