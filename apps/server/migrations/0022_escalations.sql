-- What:   what agents' owners are asked to allow beyond a limit.
-- Why:    a charge that is refused may be what the owner wants.
-- Impact: a new table; two checks of existing tables are widened, which looks at no row: 0023 does.
-- Compatible with the previous release: yes, it does not know the table.

-- One of a mandate and reference, for good: what the owner has said once is not asked again.
create table escalations (
  merchant_id text not null,
  id text not null,
  agent_id text not null,
  -- The owner.
  customer_id text not null,
  mandate_id text not null,
  reference text not null,
  -- The charge that was refused, and by which limit.
  charge_id text not null,
  limit_kind text not null,
  -- The mandate itself does not allow it: the owner makes a one-time mandate for it.
  beyond boolean not null,
  amount_minor bigint not null,
  currency text not null,
  payee_name text not null,
  payee_url text not null,
  payee_country text not null,
  products jsonb not null,
  status text not null default 'pending',
  created_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  -- Until when an allowed charge can be made.
  good_until timestamptz,
  -- Of one beyond the mandate: the session in which the owner makes the other one, and that one.
  session_id text,
  carrier_id text,
  seal bytea not null,
  -- That the owner has allowed it.
  allowed_seal bytea,
  constraint escalations_pkey primary key (merchant_id, id),
  constraint escalations_status_check check (status = any ('{pending,allowed,used,denied}')),
  constraint escalations_decided_check check ((status = 'pending') = (decided_at is null)),
  constraint escalations_allowed_check check ((status = any ('{allowed,used}')) = (allowed_seal is not null and good_until is not null)),
  constraint escalations_carrier_check check ((session_id is null) = (carrier_id is null) and (beyond or session_id is null))
);
create unique index escalations_reference_key on escalations (merchant_id, mandate_id, reference);
-- Those that wait, of an agent and of an owner.
create index escalations_agent_idx on escalations (merchant_id, agent_id, created_at) where status = 'pending';
create index escalations_customer_idx on escalations (merchant_id, customer_id, created_at) where status = 'pending';

alter table approvals drop constraint approvals_subject_type_check,
  add constraint approvals_subject_type_check check (subject_type = any ('{session,agent_link,escalation}')) not valid;
alter table passkey_challenges drop constraint passkey_challenges_subject_type_check,
  add constraint passkey_challenges_subject_type_check check (subject_type = any ('{session,agent_link,escalation}')) not valid;
alter table escalations add constraint escalations_agent_id_fkey foreign key (merchant_id, agent_id) references agents (merchant_id, id);
alter table escalations add constraint escalations_mandate_id_fkey foreign key (merchant_id, mandate_id) references mandates (merchant_id, id);
