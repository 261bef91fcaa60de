-- What:   the mandate of a purchase is in the row of its charge; mandates hold standing permissions alone. Whose mandates of
--         purchases there are is in the approvals, whose rows are written once.
-- Why:    each approval inserted a second row, which each step of the payment then moved with the charge (ADR 0080).
-- Impact: charges of purchases are rewritten once, three indexes over approvals are built, and two over mandates are dropped;
--         writers of these tables wait for that.
-- Compatible with the previous release: no. Stop it first: it looks for mandates of purchases that are gone.
-- incompatible-with-previous

alter table charges
  -- Of a purchase that was approved: its mandate, which is for this one payment. Null of a charge against a standing mandate.
  add column mandate_status text,
  -- Counts what is told of the mandate by itself; the version of the charge counts what the payment does.
  add column mandate_version integer not null default 0,
  add column mandate_seal bytea,
  add column approval_hash text,
  add column approved_at timestamptz,
  add column mandate_changed_at timestamptz,
  add column valid_until timestamptz,
  add column instruction_ref text;

alter table approvals
  -- Of a purchase: which mandate was approved, of whom, and the charge that has it. They outlast the evidence.
  add column mandate_id text,
  add column customer_id text,
  add column charge_id text;

update charges set
  customer_id = m.customer_id, asking_agent_id = m.agent_id, mandate_status = m.status, mandate_version = m.version,
  mandate_seal = m.seal, approval_hash = m.approval_hash, approved_at = m.created_at,
  mandate_changed_at = greatest(m.updated_at, m.activated_at, m.ended_at), valid_until = m.valid_until,
  instruction_ref = m.instruction_ref,
  -- A session that was deleted with its time is not open.
  closed_at = coalesce(charges.closed_at, m.created_at)
from mandates m
where m.merchant_id = charges.merchant_id and m.id = charges.mandate_id and m.per_checkout;

-- The evidence of some has gone with their session.
insert into approvals (merchant_id, subject_type, subject_id, passkey_id, terms, nonce, client_data_json, authenticator_data,
  signature, approved_at, mandate_id, customer_id, charge_id)
select merchant_id, 'session', opened_by, '', '', '', '', '', '', approved_at, mandate_id, customer_id, id
from charges where mandate_status is not null
on conflict on constraint approvals_pkey do update set
  mandate_id = excluded.mandate_id, customer_id = excluded.customer_id, charge_id = excluded.charge_id;

create unique index approvals_mandate_id_key on approvals (merchant_id, mandate_id) where mandate_id is not null;
create index approvals_customer_id_idx on approvals (customer_id, mandate_id) where mandate_id is not null;
-- By the id alone, whoever has it. For lists it is no index, as that of standing mandates.
create index approvals_mandate_id_idx on approvals (mandate_id text_pattern_ops) where mandate_id is not null;

alter table charges drop constraint charges_mandate_id_fkey;
delete from mandates where per_checkout and exists (
  select 1 from charges where charges.merchant_id = mandates.merchant_id and charges.mandate_id = mandates.id and mandate_status is not null);
-- One that no charge has would become a standing one: then nothing of this is done.
alter table mandates add constraint mandates_per_checkout_check check (not per_checkout);

drop index mandates_standing_customer_id_idx;
drop index mandates_standing_id_idx;
alter table mandates
  drop constraint mandates_approved_check, drop constraint mandates_failure_check, drop constraint mandates_window_check;
alter table mandates drop column per_checkout, drop column charge_id;
alter table mandates
  add constraint mandates_approved_check check (
    num_nulls(card_id, approval_hash, seal) = 0
    or (num_nonnulls(card_id, approval_hash, seal) = 0 and activated_at is null)) not valid,
  add constraint mandates_failure_check check (
    failure_code is null or (activated_at is null and status = any ('{cancelled,expired}'))) not valid,
  add constraint mandates_window_check check (
    activated_at is null
    or (window_started_at is not null and ((window_ends_at is null) = (frequency = 'one_time')))) not valid;
alter table charges add constraint charges_standing_mandate_id_fkey
  foreign key (merchant_id, standing_mandate_id) references mandates (merchant_id, id) not valid;
