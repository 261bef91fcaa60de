-- What:   that an agent's owner has published it.
-- Why:    shops verify agents by a directory of keys, in which nobody is unless their owner wants it.
-- Impact: two columns without a value: no row is rewritten. An index over no row; a check that looks at none.
-- Compatible with the previous release: yes, it reads the columns it knows by name.

-- Sealed by itself: whoever writes to the database publishes nobody.
alter table agents add column published_at timestamptz, add column published_seal bytea,
  add constraint agents_published_check check ((published_at is null) = (published_seal is null)) not valid;
-- In the order of the directory. One that was revoked is not in it, so the directory costs what it shows.
create index agents_published_idx on agents (merchant_id, published_at, id) where status = 'active' and published_at is not null;
