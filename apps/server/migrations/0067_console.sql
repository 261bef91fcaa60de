-- What:   people who look after an account, and their sessions at the console; deliveries are found by their event.
-- Why:    whoever asks what became of a payment had the API and the log file alone, and no delivery led back to its event.
-- Impact: two new tables; one index over the deliveries that are kept, during which none is queued.
-- Compatible with the previous release: yes. It knows neither.

-- `role` says what they may. A row is sealed: an editor of the database makes no one an owner.
create table console_people (
  merchant_id text not null,
  id text not null,
  name text not null,
  role text not null constraint console_people_role_check check (role = any ('{viewer,support,developer,admin,owner}')),
  created_at timestamptz not null,
  seal bytea not null,
  constraint console_people_pkey primary key (merchant_id, id)
);

-- A person who is signed in. The token is in their browser alone.
create table console_sessions (
  merchant_id text not null,
  digest bytea not null constraint console_sessions_digest_check check (octet_length(digest) = 32),
  person_id text not null,
  created_at timestamptz not null,
  used_at timestamptz not null,
  idle_at timestamptz not null,
  expires_at timestamptz not null,
  seal bytea not null,
  constraint console_sessions_pkey primary key (merchant_id, digest),
  constraint console_sessions_idle_check check (idle_at <= expires_at)
);
create index console_sessions_person_idx on console_sessions (merchant_id, person_id);
create index console_sessions_idle_idx on console_sessions (merchant_id, idle_at);

alter table console_people add constraint console_people_merchant_id_fkey foreign key (merchant_id) references merchants (id);
alter table console_sessions add constraint console_sessions_person_fkey
  foreign key (merchant_id, person_id) references console_people (merchant_id, id);

create index webhook_deliveries_event_idx on webhook_deliveries (merchant_id, event_id);
