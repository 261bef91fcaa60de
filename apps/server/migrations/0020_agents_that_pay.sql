-- What:   sessions and charges of agents, and what an agent has taken of its owner's limits.
-- Why:    an agent pays in the name of its owner, within limits that hold whatever it does at once.
-- Impact: new columns without a value, a new table with one row an agent, an index that finds no row yet.
-- Compatible with the previous release: yes, it makes no session of an agent and charges for none.

-- Who has asked, where an agent has: its name as the cardholder reads and signs it, and the seal over both.
alter table sessions
  add column agent_id text,
  add column agent_name text,
  add column agent_seal bytea,
  add constraint sessions_agent_check check (
    (agent_id is null) = (agent_name is null) and (agent_id is null) = (agent_seal is null)) not valid;
-- Those of an agent that is revoked are ended.
create index sessions_agent_idx on sessions (merchant_id, id) where agent_id is not null and closed_at is null;

-- Of a charge by an agent; what it is like, for the next one that has no reference.
alter table charges
  add column agent_id text,
  add column likeness bytea,
  add constraint charges_likeness_check check (likeness is null or agent_id is not null) not valid;
create index charges_likeness_idx on charges (merchant_id, agent_id, likeness, created_at) where likeness is not null;

-- What an agent has taken. Days and months are those of the calendar, UTC: what was taken on another day is taken of none.
create table agent_spending (
  merchant_id text not null,
  agent_id text not null,
  -- Charges that are not ended.
  open_count integer not null default 0,
  day date not null default '2000-01-01',
  day_minor bigint not null default 0,
  month date not null default '2000-01-01',
  month_minor bigint not null default 0,
  constraint agent_spending_pkey primary key (merchant_id, agent_id),
  constraint agent_spending_taken_check check (open_count >= 0 and day_minor >= 0 and month_minor >= 0)
);
insert into agent_spending (merchant_id, agent_id) select merchant_id, id from agents;
alter table agent_spending add constraint agent_spending_agent_id_fkey
  foreign key (merchant_id, agent_id) references agents (merchant_id, id);
