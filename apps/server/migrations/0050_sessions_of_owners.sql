-- What:   an owner's session has a name of its own, says where it is used, and ends thirty days after its last use.
-- Why:    owners see where they are signed in, and end each of those. The token changes; the session stays the same.
-- Impact: owners sign in again: sessions of before, which last twelve hours, are deleted.
-- Compatible with the previous release: no. It begins sessions without these columns.
delete from owner_sessions;
alter table owner_sessions
  add column id text not null,
  -- Of the browser's own account of itself; null: nothing that is known.
  add column browser text,
  add column system text,
  -- The network that it was used from last, never a whole address.
  add column place text not null,
  add column used_at timestamptz not null,
  -- When it ends unless it is used: never after `expires_at`.
  add column idle_at timestamptz not null,
  add constraint owner_sessions_idle_check check (idle_at <= expires_at);
create unique index owner_sessions_id_key on owner_sessions (merchant_id, id);
drop index owner_sessions_expiry_idx;
create index owner_sessions_idle_idx on owner_sessions (merchant_id, idle_at);
