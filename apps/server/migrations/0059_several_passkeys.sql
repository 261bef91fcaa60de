-- What:   an owner has several passkeys, each with a name; a device asks to be let in, and another one of theirs allows it.
-- Why:    whose one passkey was lost had none, and a second device was of no use.
-- Impact: a column with a constant, which writes no row; an index of passkeys is made anew, and their writers wait for it; two new
--         tables; two checks that look at no row (0060 does).
-- Compatible with the previous release: no. It takes the first passkey that it finds for the only one.
-- incompatible-with-previous

-- Customers of a merchant have one, at place 0; owners have several. Of two that are made for one place one is.
alter table passkeys add column place smallint not null default 0 constraint passkeys_place_check check (place between 0 and 9);
drop index passkeys_live_customer_key;
create unique index passkeys_live_customer_key on passkeys (merchant_id, customer_id, place) where retired_at is null;

-- What an owner sees of their passkeys.
create table owner_passkeys (
  merchant_id text not null,
  passkey_id text not null,
  customer_id text not null,
  -- Their own word for it; null: the device it was made on is named.
  name text,
  browser text,
  system text,
  constraint owner_passkeys_pkey primary key (merchant_id, passkey_id)
);
create index owner_passkeys_customer_idx on owner_passkeys (merchant_id, customer_id);

-- A device that is to be let in: one shows a code, the other one types it, the first one signs.
create table owner_devices (
  merchant_id text not null,
  id text not null,
  customer_id text not null,
  -- Keyed: a reader of the database types none.
  code_hash bytea not null,
  made_at timestamptz not null,
  ends_at timestamptz not null,
  -- Of the device that has typed the code: how it names itself, and what it says of itself.
  visit text,
  browser text,
  system text,
  place text,
  typed_at timestamptz,
  allowed_at timestamptz,
  seal bytea,
  refused_at timestamptz,
  used_at timestamptz,
  constraint owner_devices_pkey primary key (merchant_id, id),
  constraint owner_devices_typed_check check ((visit is null) = (typed_at is null)),
  constraint owner_devices_allowed_check check ((allowed_at is null) = (seal is null) and (allowed_at is null or typed_at is not null)),
  constraint owner_devices_used_check check (used_at is null or (allowed_at is not null and refused_at is null))
);
-- An owner lets one device in at a time.
create unique index owner_devices_customer_key on owner_devices (merchant_id, customer_id);
create unique index owner_devices_code_key on owner_devices (merchant_id, code_hash);
create unique index owner_devices_visit_key on owner_devices (merchant_id, visit) where visit is not null;
create index owner_devices_ends_at_idx on owner_devices (merchant_id, ends_at);

alter table approvals drop constraint approvals_subject_type_check,
  add constraint approvals_subject_type_check
    check (subject_type = any ('{session,agent_link,agent_limits,escalation,card_removal,permission,owner_device}')) not valid;
alter table passkey_challenges drop constraint passkey_challenges_subject_type_check,
  add constraint passkey_challenges_subject_type_check
    check (subject_type = any
      ('{agent_link,agent_limits,escalation,owner_visit,card_removal,permission,permissions_visit,owner_device}')) not valid;
