-- What:   people who look after accounts: who they are, which accounts, their passkeys and sessions, invitations, and what they did.
-- Why:    the console opened the demo account of a sandbox alone, to whoever reached it; people had no way to sign in in production.
-- Impact: six new tables; three checks of small tables, whose rows are read: mails are kept for 30 days, challenges for minutes.
--         Who is signed in at the console of a sandbox presses once more: the two tables of before are read no more, and go with a later release.
-- Compatible with the previous release: yes. It knows none of the tables, and a mail of the new kind waits for a worker of this one.

-- All are of the operator's own account, because one person may look after several: `account_id` says which.
create table people (
  merchant_id text not null,
  id text not null,
  -- Proven by a mailed code. Null: of the demo account, which is opened by one press.
  email text,
  name text not null,
  created_at timestamptz not null,
  seal bytea not null,
  constraint people_pkey primary key (merchant_id, id)
);
-- It leads back to its person.
create unique index people_email_key on people (merchant_id, lower(email)) where email is not null;

-- `role` says what they may. A row is sealed: an editor of the database makes no one an owner.
create table account_members (
  merchant_id text not null,
  account_id text not null,
  person_id text not null,
  role text not null constraint account_members_role_check check (role = any ('{viewer,support,developer,admin,owner}')),
  created_at timestamptz not null,
  seal bytea not null,
  constraint account_members_pkey primary key (merchant_id, account_id, person_id)
);
create index account_members_person_idx on account_members (merchant_id, person_id);

-- Beside those of customers, and never the same: what signs in here approves no payment, and the other way round.
create table people_passkeys (
  merchant_id text not null,
  id text not null,
  person_id text not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  backup_eligible boolean not null,
  backed_up boolean not null,
  name text,
  browser text,
  system text,
  created_at timestamptz not null,
  last_used_at timestamptz,
  -- Its counter went back: a copy of it may be in other hands, and it signs nothing.
  flagged_at timestamptz,
  retired_at timestamptz,
  seal bytea not null,
  constraint people_passkeys_pkey primary key (merchant_id, id)
);
create index people_passkeys_person_idx on people_passkeys (merchant_id, person_id);

-- A person who is signed in, and the account that they look at. The token is in their browser alone.
create table people_sessions (
  merchant_id text not null,
  digest bytea not null constraint people_sessions_digest_check check (octet_length(digest) = 32),
  id text not null,
  person_id text not null,
  account_id text not null,
  -- Null: the demo account was opened by one press.
  passkey_id text,
  browser text,
  system text,
  place text not null,
  created_at timestamptz not null,
  used_at timestamptz not null,
  idle_at timestamptz not null,
  expires_at timestamptz not null,
  seal bytea not null,
  constraint people_sessions_pkey primary key (merchant_id, digest),
  constraint people_sessions_idle_check check (idle_at <= expires_at)
);
create index people_sessions_person_idx on people_sessions (merchant_id, person_id);
create index people_sessions_idle_idx on people_sessions (merchant_id, idle_at);

create table account_invitations (
  merchant_id text not null,
  id text not null,
  account_id text not null,
  email text not null,
  -- Keyed, of the address in lower case.
  address_hash bytea not null,
  role text not null constraint account_invitations_role_check check (role = any ('{viewer,support,developer,admin,owner}')),
  -- The person who invites; null: the operator does.
  invited_by text,
  inviter text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  withdrawn_at timestamptz,
  -- Whom it lets in, and as what.
  seal bytea not null,
  constraint account_invitations_pkey primary key (merchant_id, id),
  constraint account_invitations_end_check check (accepted_at is null or withdrawn_at is null)
);
-- One waits for an address at an account.
create unique index account_invitations_open_key on account_invitations (merchant_id, account_id, address_hash)
  where accepted_at is null and withdrawn_at is null;
create index account_invitations_inviter_idx on account_invitations (merchant_id, account_id, invited_by)
  where accepted_at is null and withdrawn_at is null;
create index account_invitations_expires_at_idx on account_invitations (merchant_id, expires_at);

-- What people did. Their names stay as they were then.
create table account_acts (
  merchant_id text not null,
  account_id text not null,
  -- Begins with the time.
  id text not null,
  -- Null: the operator did.
  person_id text,
  person text,
  kind text not null constraint account_acts_kind_check check (kind = any
    ('{signed_in,invited,invitation_withdrawn,joined,role_changed,removed,passkey_made,passkey_ended,sessions_ended,delivery_resent,clock_moved,key_made,key_rolled,key_revoked}')),
  -- To whom, or to what.
  subject text,
  role text constraint account_acts_role_check check (role = any ('{viewer,support,developer,admin,owner}')),
  at timestamptz not null,
  constraint account_acts_pkey primary key (merchant_id, id)
);
create index account_acts_account_idx on account_acts (merchant_id, account_id, id);

alter table people add constraint people_merchant_id_fkey foreign key (merchant_id) references merchants (id);
-- A person is made together with what refers to them.
alter table account_members add constraint account_members_person_fkey
  foreign key (merchant_id, person_id) references people (merchant_id, id) deferrable initially deferred;
alter table people_passkeys add constraint people_passkeys_person_fkey
  foreign key (merchant_id, person_id) references people (merchant_id, id) deferrable initially deferred;
alter table people_sessions add constraint people_sessions_person_fkey
  foreign key (merchant_id, person_id) references people (merchant_id, id) deferrable initially deferred;

alter table mails drop constraint mails_kind_check, drop constraint mails_recipient_check,
  add constraint mails_kind_check
    check (kind = any
      ('{contact_link,incident_opened,incident_closed,owner_code,owner_asked,visit_code,recovery_begun,recovery_stopped,recovery_done,address_replaced,console_invitation}')),
  add constraint mails_recipient_check
    check (num_nonnulls(contact_id, customer_id) = case when kind = any ('{visit_code,console_invitation}') then 0 else 1 end),
  add constraint mails_invitation_check check (kind <> 'console_invitation' or address_hash is not null);

alter table passkey_challenges drop constraint passkey_challenges_subject_type_check,
  add constraint passkey_challenges_subject_type_check
    check (subject_type = any
      ('{agent_link,agent_limits,escalation,owner_visit,card_removal,permission,permissions_visit,owner_device,owner_recovery,console_visit,console_act}'));
