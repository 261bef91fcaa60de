-- What:   the agent of a grant under a seal of its own, the grant of each token, and indexes by which both are found.
-- Why:    an agent has a key, grants of the tool protocol, or both: a link of an owner's joins an agent that they have.
-- Impact: two columns without a value and two partial indexes, of links that were approved and of tokens. Clients that were let in before
--         are let in anew; their agents, limits and mandates stay.
-- Compatible with the previous release: yes, it reads the columns it knows by name, and takes no token of a grant that it did not make.
alter table agent_links add column grant_seal bytea;
create index agent_links_agent_idx on agent_links (merchant_id, agent_id) where agent_id is not null;
alter table oauth_entries add column grant_id text;
create index oauth_entries_grant_idx on oauth_entries (merchant_id, grant_id) where grant_id is not null;
