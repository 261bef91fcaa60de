-- The way back from 0053_work_of_charges.sql, to start the release before again. All nodes are stopped meanwhile.
--   psql --set ON_ERROR_STOP=1 --single-transaction --file back/0053_work_of_charges.sql "$DATABASE_URL"
-- 0053 counts as not applied from then on, and is applied again by the next `mintmark migrate`.

do $$ begin
  if exists (select 1 from schema_migrations where version > 53) then
    raise exception 'Later migrations are applied: 0053 is not the last one.';
  end if;
end $$;

-- The program has written none since.
delete from open_work where kind = 'charge';
insert into open_work (merchant_id, kind, id, due_at, attempts, lease_fence)
select merchant_id, 'charge', id, work_due_at, attempts, lease_fence + 1 from charges
-- Both, unless somebody has edited the row.
where work_due_at is not null and attempts is not null;

drop index open_work_merchant_due_at_idx;
create index open_work_merchant_due_at_idx on open_work (kind, merchant_id, due_at) where attempts >= 0;

alter table charges reset (autovacuum_vacuum_scale_factor);
-- Its indexes go with it.
alter table charges
  drop column work_due_at,
  drop column attempts,
  drop column lease_until,
  drop column lease_fence;

delete from schema_migrations where version = 53;
