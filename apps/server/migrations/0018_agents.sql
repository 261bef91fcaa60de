-- What:   agents of owners: their links, keys, and the nonces of their requests.
-- Why:    software pays in the name of a person who has linked it, by requests that it signs.
-- Impact: new tables; two checks of existing tables are widened, which looks at no row: 0019 does.
-- Compatible with the previous release: yes, it does not know the tables.

-- Asked for by whoever has the key, and approved or denied by an owner within minutes.
create table agent_links (
  merchant_id text not null,
  id text not null,
  -- RFC 7638, of the key that asks.
  thumbprint text not null,
  -- The 32 bytes of an Ed25519 key.
  public_key bytea not null,
  -- The 32 bytes of an X25519 key; null: the other one is mapped.
  encryption_key bytea,
  -- JWK of a P-256 key, for drafts that want one.
  mandate_key jsonb,
  name text not null,
  platform text,
  description text,
  status text not null default 'pending',
  agent_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  seal bytea not null,
  constraint agent_links_pkey primary key (merchant_id, id),
  constraint agent_links_public_key_check check (octet_length(public_key) = 32),
  constraint agent_links_encryption_key_check check (octet_length(encryption_key) = 32),
  constraint agent_links_status_check check (status = any ('{pending,approved,denied}')),
  constraint agent_links_agent_check check ((status = 'approved') = (agent_id is not null)),
  constraint agent_links_decided_check check ((status = 'pending') = (decided_at is null))
);
-- Those that nobody decided are deleted.
create index agent_links_undecided_idx on agent_links (merchant_id, expires_at) where status <> 'approved';

create table agents (
  merchant_id text not null,
  id text not null,
  -- Its owner.
  customer_id text not null,
  link_id text not null,
  name text not null,
  platform text,
  description text,
  -- What its owner allows it.
  limits jsonb not null,
  status text not null default 'active',
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  revoked_at timestamptz,
  seal bytea not null,
  constraint agents_pkey primary key (merchant_id, id),
  constraint agents_status_check check (status = any ('{active,revoked}')),
  constraint agents_revoked_check check ((status = 'revoked') = (revoked_at is not null))
);
create index agents_customer_idx on agents (merchant_id, customer_id, id);

-- A key is linked once: its row stays, also when it is changed for another one or its agent is revoked.
create table agent_keys (
  merchant_id text not null,
  thumbprint text not null,
  agent_id text not null,
  public_key bytea not null,
  encryption_key bytea,
  mandate_key jsonb,
  created_at timestamptz not null,
  -- Null: until it is changed.
  valid_until timestamptz,
  seal bytea not null,
  constraint agent_keys_pkey primary key (merchant_id, thumbprint),
  constraint agent_keys_public_key_check check (octet_length(public_key) = 32),
  constraint agent_keys_encryption_key_check check (octet_length(encryption_key) = 32)
);
create index agent_keys_agent_idx on agent_keys (merchant_id, agent_id, created_at);

-- Nonces of requests that were accepted, each for as long as its signature could be sent again. A ring of slots of five minutes by `created`
-- of the signature, so that a request that is sent twice meets itself; what is past is truncated, which costs the same however much it was.
create table agent_nonces (
  merchant_id text not null,
  slot smallint not null,
  -- The first half of the SHA-256 of key and nonce.
  digest bytea not null,
  constraint agent_nonces_pkey primary key (merchant_id, slot, digest)
) partition by list (slot);
create table agent_nonces_0 partition of agent_nonces for values in (0);
create table agent_nonces_1 partition of agent_nonces for values in (1);
create table agent_nonces_2 partition of agent_nonces for values in (2);
create table agent_nonces_3 partition of agent_nonces for values in (3);
create table agent_nonces_4 partition of agent_nonces for values in (4);
create table agent_nonces_5 partition of agent_nonces for values in (5);
create table agent_nonces_6 partition of agent_nonces for values in (6);
create table agent_nonces_7 partition of agent_nonces for values in (7);

alter table approvals drop constraint approvals_subject_type_check,
  add constraint approvals_subject_type_check check (subject_type = any ('{session,agent_link}')) not valid;
alter table passkey_challenges drop constraint passkey_challenges_subject_type_check,
  add constraint passkey_challenges_subject_type_check check (subject_type = any ('{session,agent_link}')) not valid;

alter table agents add constraint agents_customer_id_fkey foreign key (merchant_id, customer_id) references customers (merchant_id, id);
alter table agent_keys add constraint agent_keys_agent_id_fkey foreign key (merchant_id, agent_id) references agents (merchant_id, id);
