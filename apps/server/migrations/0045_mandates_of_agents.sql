-- What:   indexes by which the mandates of an agent that was revoked are found.
-- Why:    they end with their agent.
-- Impact: two partial indexes, of agents that have ended and of mandates that agents may charge. No update of a mandate touches the second.
-- Compatible with the previous release: yes.
create index agents_revoked_idx on agents (merchant_id, revoked_at) where status = 'revoked';
create index mandates_agent_idx on mandates (merchant_id, agent_id) where agent_id is not null;
