-- What:   an owner who has lost all passkeys makes another one: by the code of their address, an active card, and a day of waiting in
--         which any device and address of theirs stops it.
-- Why:    whose passkeys were lost had no way in, and only the operator could end their agents.
-- Impact: two new tables; two checks of small tables, whose rows are read: mails are kept for 30 days, challenges for minutes.
-- Compatible with the previous release: yes. It knows neither table, and a mail of a new kind waits for a worker of this one.

create table owner_recoveries (
  merchant_id text not null,
  id text not null,
  customer_id text not null,
  -- Of the word by which its browser goes on: a reader of the database goes on with none.
  word_hash bytea not null,
  browser text,
  system text,
  place text not null,
  asked_at timestamptz not null,
  -- Until when it can go on; of one that has ended, how long it is kept.
  ends_at timestamptz not null,
  -- The card that is proven, and its entry while the network's code is awaited.
  card_id text,
  card_enrolment integer,
  entry_id text,
  -- The code was right. From then on it can be stopped, and once it is due a passkey is made.
  proven_at timestamptz,
  waits_until timestamptz,
  seal bytea,
  stopped_at timestamptz,
  stopped_by text constraint owner_recoveries_stopped_by_check check (stopped_by = any ('{device,mail,itself,later}')),
  used_at timestamptz,
  constraint owner_recoveries_pkey primary key (merchant_id, id),
  constraint owner_recoveries_proven_check
    check ((proven_at is null) = (waits_until is null) and (proven_at is null) = (seal is null) and (proven_at is null or card_id is not null)),
  constraint owner_recoveries_waits_check check (waits_until >= proven_at),
  constraint owner_recoveries_stopped_check check ((stopped_at is null) = (stopped_by is null)),
  constraint owner_recoveries_used_check check (used_at is null or (proven_at is not null and stopped_at is null))
);

create unique index owner_recoveries_word_key on owner_recoveries (merchant_id, word_hash);
-- One waits at a time: of two that are proven at the same moment the later one takes the place of the other.
create unique index owner_recoveries_waiting_key on owner_recoveries (merchant_id, customer_id)
  where proven_at is not null and stopped_at is null and used_at is null;
create index owner_recoveries_customer_idx on owner_recoveries (merchant_id, customer_id);
create index owner_recoveries_ends_at_idx on owner_recoveries (merchant_id, ends_at);

-- How many security codes were tried for an owner since a moment, in whichever recovery.
create table owner_recovery_tries (
  merchant_id text not null,
  customer_id text not null,
  since timestamptz not null,
  tried integer not null,
  constraint owner_recovery_tries_pkey primary key (merchant_id, customer_id)
);

create index owner_recovery_tries_since_idx on owner_recovery_tries (merchant_id, since);

alter table mails drop constraint mails_kind_check,
  add constraint mails_kind_check
    check (kind = any ('{contact_link,incident_opened,incident_closed,owner_code,owner_asked,visit_code,recovery_begun,recovery_stopped,recovery_done}'));

alter table passkey_challenges drop constraint passkey_challenges_subject_type_check,
  add constraint passkey_challenges_subject_type_check
    check (subject_type = any
      ('{agent_link,agent_limits,escalation,owner_visit,card_removal,permission,permissions_visit,owner_device,owner_recovery}'));
