-- The way back from 0052_references_of_charges.sql, to start the release before again. All nodes are stopped meanwhile.
--   psql --set ON_ERROR_STOP=1 --single-transaction --file back/0052_references_of_charges.sql "$DATABASE_URL"
-- 0052 counts as not applied from then on, and is applied again by the next `mintmark migrate`.

do $$ begin
  if exists (select 1 from schema_migrations where version > 52) then
    raise exception 'Later migrations are applied: 0052 is not the last one.';
  end if;
end $$;

create table charge_references (
  merchant_id text not null,
  mandate_id text not null,
  reference text not null,
  charge_id text not null,
  constraint charge_references_pkey primary key (merchant_id, mandate_id, reference)
);

insert into charge_references (merchant_id, mandate_id, reference, charge_id)
select merchant_id, standing_mandate_id, reference, id from charges
-- Only a charge against a standing mandate has one, unless somebody has edited its row.
where reference is not null and not reference_freed and standing_mandate_id is not null;

alter table charges drop column reference_freed;

delete from schema_migrations where version = 52;
