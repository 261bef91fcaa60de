-- What:   the addresses that were an owner's until of late, which are told of recoveries for some days more.
-- Why:    who had a session of an owner, and no passkey, named another address; from then on that one alone was told of a recovery.
-- Impact: a new table; a check of mails, whose rows are read: they are kept for 30 days.
-- Compatible with the previous release: yes. It keeps no former address, and a mail of the new kind waits for a worker of this one; but a
--         worker of before sends to the new address what a recovery has to tell the former one.

create table former_addresses (
  merchant_id text not null,
  customer_id text not null,
  -- Keyed, of the address in lower case.
  address_hash bytea not null,
  email text not null,
  -- Another one was named, or this one was removed.
  replaced_at timestamptz not null,
  -- Until when it is told.
  ends_at timestamptz not null,
  -- Whose it was, and until when it is told: an editor of the database sends these mails nowhere else.
  seal bytea not null,
  constraint former_addresses_pkey primary key (merchant_id, customer_id, address_hash)
);
create index former_addresses_ends_at_idx on former_addresses (merchant_id, ends_at);

alter table former_addresses add constraint former_addresses_customer_id_fkey
  foreign key (merchant_id, customer_id) references customers (merchant_id, id);

alter table mails drop constraint mails_kind_check,
  add constraint mails_kind_check
    check (kind = any
      ('{contact_link,incident_opened,incident_closed,owner_code,owner_asked,visit_code,recovery_begun,recovery_stopped,recovery_done,address_replaced}'));
