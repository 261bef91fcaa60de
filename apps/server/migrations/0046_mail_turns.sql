-- What:   a table of who was mailed a code within the last minute, and where.
-- Why:    the rest between two codes was kept in the owner's row alone, which goes when they want no mails, and said nothing of an address.
-- Impact: a new table.
-- Compatible with the previous release: yes; its processes keep the rest as they did.

-- Of codes that prove an owner's address: one a minute to an owner, and one a minute to an address, whoever asks. A row that is older says nothing.
create table mail_turns (
  merchant_id text not null,
  -- `owner:` with their id, or `address:` with the keyed hash of it.
  key text not null,
  taken_at timestamptz not null,
  constraint mail_turns_pkey primary key (merchant_id, key)
);
create index mail_turns_taken_at_idx on mail_turns (merchant_id, taken_at);
