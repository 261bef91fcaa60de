-- What:   the open work of a charge, and whether it holds its reference, are columns of the charge.
-- Why:    a row beside the charge was written and deleted in step with it: more index entries than the charge itself has.
-- Impact: charges that hold a reference are rewritten once, and two indexes are built; writers of charges wait for both.
-- Compatible with the previous release: no. Stop it first: it looks for the table and the rows that are gone.

alter table charges
  -- Until when at the latest a worker must look. Null: nothing is left to do.
  add column work_due_at timestamptz,
  add column lease_until timestamptz,
  -- Raised by every claim, and never lowered.
  add column lease_fence bigint not null default 0,
  add column attempts integer not null default 0,
  -- Its merchant's reference names this charge and no other one of its mandate.
  add column holds_reference boolean not null default false;

-- Whoever held the work holds it no more: leases are not carried over.
update charges set work_due_at = w.due_at, lease_fence = w.lease_fence + 1, attempts = w.attempts
from open_work w where w.merchant_id = charges.merchant_id and w.kind = 'charge' and w.id = charges.id;
delete from open_work where kind = 'charge';
alter table open_work drop constraint open_work_kind_check,
  add constraint open_work_kind_check check (kind = any ('{mandate,card,deletion,token,endpoint,mail,purchase}'));

update charges set holds_reference = true
from charge_references r where r.merchant_id = charges.merchant_id and r.charge_id = charges.id;
drop table charge_references;

-- One charge of a mandate for a reference, also of many that come at the same moment.
create unique index charges_reference_key on charges (merchant_id, standing_mandate_id, reference) where holds_reference;
-- Who has due work, and which of it: the two steps of a claim. What is always true is said by lists of due work alone
-- (LISTED_WORK): no plan finds one charge by them.
create index charges_work_due_at_idx on charges (work_due_at) where work_due_at is not null and amount_minor > 0;
create index charges_merchant_work_due_at_idx on charges (merchant_id, work_due_at)
  where work_due_at is not null and amount_minor > 0;
