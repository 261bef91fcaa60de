-- What:   addresses of owners, and mails to them: the code that proves an address, and what an agent asks.
-- Why:    an owner who is asked and does not look at the page is told.
-- Impact: a new table; columns without a value, indexes over no row, checks that look at none: 0034 does.
-- Compatible with the previous release: yes, but for its workers: one that takes a mail to an owner fails at it, and it is tried again.

-- Where an owner is told of what agents ask. The row goes when they want no mails, and with it the address.
create table owner_addresses (
  merchant_id text not null,
  customer_id text not null,
  email text not null,
  -- When the code that was mailed was typed at the page. Before, nothing else is mailed to the address.
  verified_at timestamptz,
  -- Of the last code: it is made from this name and a key, and is nowhere.
  code_id text not null,
  code_made_at timestamptz not null,
  code_ends_at timestamptz not null,
  code_tries smallint not null constraint owner_addresses_tries_check check (code_tries between 0 and 5),
  -- Whose it is, and that it was proven: an editor of the database sends nobody's mails elsewhere.
  seal bytea not null,
  constraint owner_addresses_pkey primary key (merchant_id, customer_id)
);

alter table mails alter column contact_id drop not null,
  add column customer_id text,
  -- What it tells an owner of.
  add column escalation_id text,
  -- A keyed hash of where a code goes: nobody's mailbox is filled, whoever asks for it.
  add column address_hash bytea,
  add constraint mails_recipient_check check (num_nonnulls(contact_id, customer_id) = 1) not valid,
  drop constraint mails_kind_check,
  add constraint mails_kind_check
    check (kind = any ('{contact_link,incident_opened,incident_closed,owner_code,owner_asked}')) not valid,
  drop constraint mails_reason_check,
  add constraint mails_reason_check
    check (reason = any ('{not_configured,file,dns,connection,tls,login,timeout,protocol,deferred,refused,no_recipient,answered}')) not valid;
-- A question is told once.
create unique index mails_escalation_key on mails (merchant_id, escalation_id) where escalation_id is not null;
-- How many an owner had of late, and an address.
create index mails_customer_idx on mails (merchant_id, customer_id, id) where customer_id is not null;
create index mails_address_idx on mails (merchant_id, address_hash, id) where address_hash is not null;

alter table owner_addresses add constraint owner_addresses_customer_id_fkey
  foreign key (merchant_id, customer_id) references customers (merchant_id, id);
