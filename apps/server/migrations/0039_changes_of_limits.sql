-- What:   changes of what owners allow their agents, and how often an agent's limits were changed.
-- Why:    limits were fixed when the agent was linked: an owner who wanted others had to end it and link it anew.
-- Impact: a new table; a column with a constant, which writes no row; two checks that look at none: 0040 does.
-- Compatible with the previous release: yes, it reads the limits as they are, each time.

alter table agents add column limits_version integer not null default 1;

-- What held before and after, one row each: what was signed is in approvals, under the same id.
create table agent_limit_changes (
  merchant_id text not null,
  id text not null,
  agent_id text not null,
  -- Of the limits that were changed.
  version integer not null,
  was jsonb not null,
  limits jsonb not null,
  changed_at timestamptz not null,
  constraint agent_limit_changes_pkey primary key (merchant_id, id),
  -- Limits are changed once: of two owners' pages that have read the same one wins.
  constraint agent_limit_changes_version_key unique (merchant_id, agent_id, version)
);

alter table approvals drop constraint approvals_subject_type_check,
  add constraint approvals_subject_type_check
    check (subject_type = any ('{session,agent_link,agent_limits,escalation}')) not valid;
alter table passkey_challenges drop constraint passkey_challenges_subject_type_check,
  add constraint passkey_challenges_subject_type_check
    check (subject_type = any ('{session,agent_link,agent_limits,escalation,owner_visit}')) not valid;
