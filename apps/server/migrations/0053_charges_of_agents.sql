-- What:   charges of an agent are found in their order, and by shop.
-- Why:    owners page and filter what their agents did: with 100,000 of them a page costs what one of ten costs.
-- Impact: a partial index over charges of agents is built; writers of charges wait for that.
-- Compatible with the previous release: yes.

create index charges_agent_idx on charges (merchant_id, agent_id, created_at, id, payee_name) where agent_id is not null;
