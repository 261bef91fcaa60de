-- What:   agents that come by the tool protocol: their links and what they are without a key, and what the authorization server remembers.
-- Why:    an owner lets software in whose maker runs it for many; it has tokens in place of a key.
-- Impact: new columns without a value, and a new table. Two columns of links may be empty from now on. 0032 looks at what is there.
-- Compatible with the previous release: yes, it asks for no such link, and shows none.

alter table agent_links
  alter column thumbprint drop not null,
  alter column public_key drop not null,
  -- Of software without a key: the address that describes it, or the name that it was registered with.
  add column client_id text,
  add column client_host text,
  -- Where answers to it go.
  add column redirect_host text,
  add column scopes jsonb,
  add constraint agent_links_client_check check (
    (client_id is null) = (thumbprint is not null) and (client_id is null) = (public_key is not null)
      and (client_id is null) = (redirect_host is null) and (client_id is null) = (scopes is null)
      and (client_id is not null or client_host is null)) not valid;

alter table agents
  add column client_id text,
  add column scopes jsonb,
  add constraint agents_client_check check ((client_id is null) = (scopes is null)) not valid;

-- Codes, tokens, grants, registered clients and what browsers are in the middle of, each for its time.
create table oauth_entries (
  merchant_id text not null,
  kind text not null,
  -- SHA-256 of kind and name, which is a secret of its holder in most kinds.
  digest bytea not null,
  -- Whose it is, once an owner has said so.
  agent_id text,
  -- Encrypted.
  content text not null,
  created_at timestamptz not null,
  -- Of what is good once.
  consumed_at timestamptz,
  expires_at timestamptz not null,
  constraint oauth_entries_pkey primary key (merchant_id, digest),
  constraint oauth_entries_digest_check check (octet_length(digest) = 32)
);
create index oauth_entries_agent_idx on oauth_entries (merchant_id, agent_id) where agent_id is not null;
create index oauth_entries_expires_idx on oauth_entries (merchant_id, expires_at);
