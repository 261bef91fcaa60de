-- What:   contacts of accounts, and the mails to them.
-- Why:    people are told when an endpoint of theirs does not get what it should.
-- Impact: new tables; no lock on existing ones, no size.
-- Compatible with the previous release: yes, it does not know the tables.

-- Whom the service writes to about an account. The row goes when the contact does, and with it the address.
create table contacts (
  merchant_id text not null,
  -- Made from the address with a key: an address is a contact once, however it is written.
  id text not null,
  email text not null,
  role text not null constraint contacts_role_check check (role = any ('{developer,admin}')),
  -- When its owner opened the link that was mailed. Before, nothing else is mailed to the address.
  verified_at timestamptz,
  -- Of the last link: its secret is made from this name and a key, and is nowhere.
  link_id text not null,
  link_hash bytea not null,
  link_made_at timestamptz not null,
  link_ends_at timestamptz not null,
  created_at timestamptz not null,
  constraint contacts_pkey primary key (merchant_id, id)
);

-- The outbox: one mail to one contact, written in the transaction of its cause. It holds neither address nor text: both are
-- put together when it is sent. Its id and the name of the deployment are the Message-ID, the same in every try.
create table mails (
  merchant_id text not null,
  id text not null,
  -- No foreign key: a contact goes while mails to it are still in the books.
  contact_id text not null,
  kind text not null constraint mails_kind_check check (kind = any ('{contact_link,incident_opened,incident_closed}')),
  -- Null for a link.
  incident_id text,
  -- What the text says, as it was then.
  facts jsonb not null,
  state text not null constraint mails_state_check
    check (state = any ('{queued,sent,refused,unconfirmed,expired,dropped}')),
  -- How often all of it was handed to the mail server without a word of what became of it: twice at most.
  unsure smallint not null constraint mails_unsure_check check (unsure between 0 and 2),
  -- Why it was not sent, of the last try.
  reason text constraint mails_reason_check
    check (reason = any ('{not_configured,file,dns,connection,tls,login,timeout,protocol,deferred,refused,no_recipient}')),
  -- What the mail server said, as a number.
  reply_code integer,
  created_at timestamptz not null,
  -- No try begins after it.
  ends_at timestamptz not null,
  finished_at timestamptz,
  constraint mails_pkey primary key (merchant_id, id),
  constraint mails_finished_check check ((state = 'queued') = (finished_at is null))
);
-- A notice of an incident goes to a contact once.
create unique index mails_incident_key on mails (merchant_id, incident_id, kind, contact_id) where incident_id is not null;
-- The oldest that waits, for the metrics.
create index mails_queued_idx on mails (created_at) where state = 'queued';

alter table contacts add constraint contacts_merchant_id_fkey foreign key (merchant_id) references merchants (id);
alter table mails add constraint mails_merchant_id_fkey foreign key (merchant_id) references merchants (id);
