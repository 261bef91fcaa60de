-- What:   an index by which an agent's own sessions are found, newest first.
-- Why:    an agent lists what it has asked for, and what of it still waits, also behind very many that have ended.
-- Impact: a partial index over the sessions of agents alone; writers of sessions wait while it is built. No update of a session touches it.
-- Compatible with the previous release: yes.
create index sessions_of_agent_idx on sessions (merchant_id, agent_id, created_at, id) where agent_id is not null;
