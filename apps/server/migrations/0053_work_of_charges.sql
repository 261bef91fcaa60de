-- What:   what there is to do on a charge, and who has it in hand, is in the charge's own row; its rows of open_work go.
-- Why:    each step of a charge wrote, locked and found a row of another table beside its own.
-- Impact: four columns, for which no row is written anew; charges that wait for something are written once, and the indexes read all charges.
--         Nothing can be charged meanwhile: some 10 seconds for a million charges.
-- incompatible-with-previous: the release before looks for the work of charges in open_work. Stop all nodes first; `back` has the way back.
alter table charges
  add column work_due_at timestamptz,
  add column attempts integer,
  add column lease_until timestamptz,
  add column lease_fence bigint not null default 0;

-- Leases are those of nodes that are stopped. A charge that waits without work, as after an edit by hand, is looked at now; work on one that
-- waits for nothing goes. A purchase has the work of its charge.
update charges set work_due_at = coalesce(work.due_at, now()), attempts = greatest(work.attempts, 0),
  lease_fence = coalesce(work.lease_fence + 1, 0)
from charges waiting
left join open_work work on work.merchant_id = waiting.merchant_id and work.kind = 'charge' and work.id = waiting.id
where charges.merchant_id = waiting.merchant_id and charges.id = waiting.id
  and waiting.status in ('minting', 'awaiting_result') and waiting.quote_id is null;

delete from open_work where kind = 'charge';

-- Their conditions are true of all work, and said by lists alone, as in open_work: no other statement may find a charge by these. What is
-- listed inside a merchant says the second one, which is too weak for the first index: charges lie in the order in which they fall due, so
-- that one looks cheaper than it is.
create index charges_work_due_at_idx on charges (work_due_at) where attempts >= 0;
create index charges_merchant_work_due_at_idx on charges (merchant_id, work_due_at) where attempts > -1;
drop index open_work_merchant_due_at_idx;
create index open_work_merchant_due_at_idx on open_work (kind, merchant_id, due_at) where attempts > -1;

-- Each step leaves a dead entry in them, which who looks for due work passes: a fifth of a long history would be too many.
alter table charges set (autovacuum_vacuum_scale_factor = 0.05);
