-- What:   a person who becomes an owner proves an address first: a visit names it, and is mailed a code that no other visit takes.
-- Why:    an owner was whoever had made a passkey: nothing led back to a person who had lost it, and they could not be told of anything.
-- Impact: two new tables; on mails checks that look at no row (0058 does); one proven address is of one owner: if several
--         have it, the oldest keeps it, and the others are mailed nothing until they name theirs again.
-- Compatible with the previous release: yes. It makes owners without an address, as it did.

-- A browser in which a person has named an address. Each has a code of its own, so that others cannot use up its tries.
create table address_visits (
  merchant_id text not null,
  id text not null,
  -- Keyed, of the address in lower case: it shows whether the address beside it was edited.
  address_hash bytea not null,
  email text not null,
  tries smallint not null constraint address_visits_tries_check check (tries between 0 and 5),
  code_ends_at timestamptz not null,
  ends_at timestamptz not null,
  -- The code was typed here.
  proven_at timestamptz,
  seal bytea,
  -- An owner was made of it.
  used_at timestamptz,
  constraint address_visits_pkey primary key (merchant_id, id),
  constraint address_visits_proven_check check ((proven_at is null) = (seal is null)),
  constraint address_visits_used_check check (used_at is null or proven_at is not null)
);
create index address_visits_ends_at_idx on address_visits (merchant_id, ends_at);

-- How many codes an address was mailed since a moment, whoever asked for them.
create table address_asks (
  merchant_id text not null,
  address_hash bytea not null,
  since timestamptz not null,
  asked integer not null,
  constraint address_asks_pkey primary key (merchant_id, address_hash)
);
create index address_asks_since_idx on address_asks (merchant_id, since);

delete from owner_addresses newer using owner_addresses older
where newer.merchant_id = older.merchant_id and lower(newer.email) = lower(older.email)
  and newer.verified_at is not null and older.verified_at is not null
  and (older.verified_at, older.customer_id) < (newer.verified_at, newer.customer_id);
create unique index owner_addresses_verified_key on owner_addresses (merchant_id, lower(email)) where verified_at is not null;

alter table mails drop constraint mails_kind_check,
  add constraint mails_kind_check
    check (kind = any ('{contact_link,incident_opened,incident_closed,owner_code,owner_asked,visit_code}')) not valid,
  drop constraint mails_recipient_check,
  add constraint mails_recipient_check
    check (num_nonnulls(contact_id, customer_id) = case when kind = 'visit_code' then 0 else 1 end) not valid,
  add constraint mails_visit_check check (kind <> 'visit_code' or address_hash is not null) not valid;
