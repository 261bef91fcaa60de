-- What:   whether the deployment is closed since a restore, and what the network has to be asked about.
-- Why:    a backup revives what has ended since; callers are let in when that has ended again.
-- Impact: two new tables; no lock on existing ones. One row, and one for each open payment, mandate and card while it is closed.
-- Compatible with the previous release: yes, it does not know the tables.

-- One row, for the whole deployment.
create table restored (
  only_row boolean not null default true,
  -- Null: open. Set: closed to callers since then.
  closed_since timestamptz,
  -- All that is open has a row in restored_subjects.
  is_listed boolean not null default false,
  constraint restored_pkey primary key (only_row),
  constraint restored_only_row_check check (only_row)
);
insert into restored default values;

-- What was open in the backup, and the network's word about it. Emptied by the next restore.
create table restored_subjects (
  merchant_id text not null,
  kind text not null,
  id text not null,
  attempts integer not null default 0,
  -- Null: it has not said anything yet.
  word text,
  heard_at timestamptz,
  constraint restored_subjects_pkey primary key (merchant_id, kind, id),
  constraint restored_subjects_kind_check check (kind = any ('{charge,mandate,card}')),
  constraint restored_subjects_word_check check (word = any ('{active,ended,used,not_found,gone}'))
);
create index restored_subjects_unheard_idx on restored_subjects (attempts, merchant_id, kind, id) where word is null;
