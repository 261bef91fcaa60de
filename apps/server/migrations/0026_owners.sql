-- What:   owners who sign in at a page of their own: what they are called, and their sessions there.
-- Why:    an owner links agents and answers what they ask.
-- Impact: two new tables; a check of an existing table is widened, which looks at no row: 0027 does.
-- Compatible with the previous release: yes, it does not know the tables.

-- Beside the customer that an owner is.
create table owners (
  merchant_id text not null,
  customer_id text not null,
  -- What the page greets with.
  name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint owners_pkey primary key (merchant_id, customer_id)
);

-- A row each until it is signed out or over. The browser has the token, whose hash is the name of the row.
create table owner_sessions (
  merchant_id text not null,
  digest bytea not null,
  customer_id text not null,
  -- It ends with the passkey that began it.
  passkey_id text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Whose it is: an editor of the database signs in as nobody.
  seal bytea not null,
  constraint owner_sessions_pkey primary key (merchant_id, digest),
  constraint owner_sessions_digest_check check (octet_length(digest) = 32)
);
create index owner_sessions_expiry_idx on owner_sessions (merchant_id, expires_at);
create index owner_sessions_customer_idx on owner_sessions (merchant_id, customer_id);

alter table passkey_challenges drop constraint passkey_challenges_subject_type_check,
  add constraint passkey_challenges_subject_type_check
    check (subject_type = any ('{session,agent_link,escalation,owner_visit}')) not valid;

alter table owners add constraint owners_customer_id_fkey
  foreign key (merchant_id, customer_id) references customers (merchant_id, id);
alter table owner_sessions add constraint owner_sessions_customer_id_fkey
  foreign key (merchant_id, customer_id) references customers (merchant_id, id);
