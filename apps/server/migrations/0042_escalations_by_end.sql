-- What:   what is asked of owners is found by its end.
-- Why:    a question that nobody answered stays as it was, for good: found by its beginning, those that wait cost as much as all that ever did.
-- Impact: two partial indexes over a small table are built anew; its writers wait for that.
-- Compatible with the previous release: yes, its statements find their rows by the agent or owner as before.

drop index escalations_agent_idx;
create index escalations_agent_idx on escalations (merchant_id, agent_id, expires_at) where status = 'pending';
drop index escalations_customer_idx;
create index escalations_customer_idx on escalations (merchant_id, customer_id, expires_at) where status = 'pending';
