-- The key-encryption keys that wrap data keys. The keys themselves are in files or in a key management service; here is which
-- exist, and which one wraps now. A key that nothing may use any more has no row, so that nothing can name it.
create table key_encryption_keys (
  id text constraint key_encryption_keys_pkey primary key,
  state text not null constraint key_encryption_keys_state_check check (state = any ('{added,current,former}')),
  -- A random key, wrapped by this one: a node that opens it can use the key. The first key has none: the root key proves it.
  probe bytea,
  -- The first key has none as long as it was never moved.
  seal bytea,
  moved_at timestamptz not null,
  constraint key_encryption_keys_first_check check (num_nulls(probe, seal) = 0 or id = 'local:1')
);
create unique index key_encryption_keys_current_key on key_encryption_keys (state) where state = 'current';
-- A deployment begins with a key that comes from its root key.
insert into key_encryption_keys (id, state, probe, seal, moved_at) values ('local:1', 'current', null, null, 'epoch');

-- The processes that run now, each with the keys it has proven to reach: a key becomes current when all of them have it.
create table key_nodes (
  id uuid constraint key_nodes_pkey primary key,
  -- Host and process, for the operator.
  name text not null,
  proven text[] not null,
  wraps_with text not null,
  seen_at timestamptz not null
);

-- A key that wraps something cannot go, and one that is gone wraps nothing new, however long ago a process heard of it.
-- Numbers are stored rarely enough to share the lock on its row. Credentials are not, and the network has them too.
alter table merchants
  add constraint merchants_webhook_secret_key_id_fkey foreign key (webhook_secret_key_id)
    references key_encryption_keys (id);
alter table vault_records
  add constraint vault_records_number_key_id_fkey foreign key (number_key_id) references key_encryption_keys (id);
