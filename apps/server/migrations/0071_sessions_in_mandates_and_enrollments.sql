-- What:   the session of a setup is in the row of its mandate, that of an enrollment in the row of the enrollment. There is no
--         table of sessions any more; the id of an enrollment is that of its session, as ever.
-- Why:    each was two rows, created together, read together, and moved in step with each other by wide statements (ADR 0080).
-- Impact: mandates with a session and all enrollments are rewritten once, and eight indexes are built; writers of these tables wait.
--         A session without its mandate or enrollment, which only an edit can have left, stops it before anything is done.
-- Compatible with the previous release: no. Stop it first: it looks for sessions in a table that is gone.
-- incompatible-with-previous

alter table mandates
  -- Of the session that sets it up. A card is chosen there before it is approved with.
  add column integration_type text,
  add column callback_url text,
  add column description text,
  add column summary jsonb,
  add column effective_minutes integer,
  add column preselected_vault_record_id uuid,
  -- The card that its cardholder proved there, and how.
  add column proven_card_id text,
  add column proof text,
  add column proof_seal bytea,
  -- The entry of the chosen card that waits for the network's code.
  add column entry_id uuid,
  add column entry_once boolean,
  add column entry_keeping text,
  add column code_sent_at timestamptz,
  add column entry_new_codes integer not null default 0,
  add column new_codes integer not null default 0,
  -- Null: there is no session, or it was deleted with its time.
  add column launch_hash bytea,
  add column expires_at timestamptz,
  add column extended_at timestamptz,
  add column closed_at timestamptz,
  -- Counts what the session itself tells; the version of the mandate counts what the permission does.
  add column session_version integer,
  add column locale text,
  -- The agent that asked its owner, as it was named then.
  add column agent_name text,
  add column agent_seal bytea,
  -- Which answer is awaited, and what is signed with it, byte for byte. The text goes with the approval, whose evidence keeps it.
  add column ceremony text,
  add column challenge text,
  add column nonce bytea,
  add column bound_text text,
  add column challenge_sign_count bigint,
  add column challenge_embedded boolean,
  add column challenge_expires_at timestamptz;

alter table enrollments rename column session_id to id;
alter table enrollments
  add column customer_id text,
  add column integration_type text,
  add column callback_url text,
  add column preselected_vault_record_id uuid,
  add column card_id text,
  add column proven_card_id text,
  add column proof text,
  add column proof_seal bytea,
  add column entry_id uuid,
  add column entry_once boolean,
  add column entry_keeping text,
  add column code_sent_at timestamptz,
  add column entry_new_codes integer not null default 0,
  add column new_codes integer not null default 0,
  add column launch_hash bytea,
  add column created_at timestamptz,
  add column expires_at timestamptz,
  add column extended_at timestamptz,
  add column closed_at timestamptz,
  add column session_version integer,
  add column locale text,
  add column ceremony text,
  add column challenge text,
  add column nonce bytea,
  add column bound_text text,
  add column challenge_sign_count bigint,
  add column challenge_embedded boolean,
  add column challenge_expires_at timestamptz;

alter table mandates drop constraint mandates_approved_check;
update mandates set
  session_id = s.id, integration_type = s.integration_type, callback_url = s.callback_url, description = s.description,
  summary = s.summary, effective_minutes = s.effective_minutes, preselected_vault_record_id = s.preselected_vault_record_id,
  card_id = coalesce(mandates.card_id, s.card_id), proven_card_id = s.proven_card_id, proof = s.proof, proof_seal = s.proof_seal,
  entry_id = s.entry_id, entry_once = s.entry_once, entry_keeping = s.entry_keeping, code_sent_at = s.code_sent_at,
  entry_new_codes = s.entry_new_codes, new_codes = s.new_codes, launch_hash = s.launch_hash, expires_at = s.expires_at,
  extended_at = s.extended_at, closed_at = s.closed_at, session_version = s.version, locale = s.locale,
  agent_name = s.agent_name, agent_seal = s.agent_seal, ceremony = s.ceremony,
  challenge = case when mandates.approval_hash is null then s.challenge end,
  nonce = case when mandates.approval_hash is null then s.nonce end,
  bound_text = case when mandates.approval_hash is null then s.bound_text end,
  challenge_sign_count = s.challenge_sign_count, challenge_embedded = s.challenge_embedded,
  challenge_expires_at = s.challenge_expires_at
from sessions s
where s.merchant_id = mandates.merchant_id and s.kind = 'mandate_setup' and s.mandate_id = mandates.id;
delete from sessions using mandates
where sessions.merchant_id = mandates.merchant_id and sessions.kind = 'mandate_setup' and mandates.session_id = sessions.id
  and mandates.launch_hash is not null;

update enrollments set
  customer_id = s.customer_id, integration_type = s.integration_type, callback_url = s.callback_url,
  preselected_vault_record_id = s.preselected_vault_record_id, card_id = s.card_id, proven_card_id = s.proven_card_id,
  proof = s.proof, proof_seal = s.proof_seal, entry_id = s.entry_id, entry_once = s.entry_once, entry_keeping = s.entry_keeping,
  code_sent_at = s.code_sent_at, entry_new_codes = s.entry_new_codes, new_codes = s.new_codes, launch_hash = s.launch_hash,
  created_at = s.created_at, expires_at = s.expires_at, extended_at = s.extended_at, closed_at = s.closed_at,
  session_version = s.version, locale = s.locale, ceremony = s.ceremony, challenge = s.challenge, nonce = s.nonce,
  bound_text = s.bound_text, challenge_sign_count = s.challenge_sign_count, challenge_embedded = s.challenge_embedded,
  challenge_expires_at = s.challenge_expires_at
from sessions s
where s.merchant_id = enrollments.merchant_id and s.kind = 'enrollment' and s.id = enrollments.id;
delete from sessions using enrollments
where sessions.merchant_id = enrollments.merchant_id and sessions.kind = 'enrollment' and enrollments.id = sessions.id;
-- Nothing reads an enrollment without its session.
delete from enrollments where launch_hash is null;

-- Of what is left it is not known what it was for: then nothing of this is done.
alter table sessions add constraint sessions_without_subject_check check (false);
drop table sessions;

-- A session is one mandate, and found by its own id. Those that were deleted are no session any more.
create unique index mandates_session_key on mandates (merchant_id, session_id) where launch_hash is not null;
-- Which sessions were not used in time: see the indexes over due work.
create index mandates_open_expires_at_idx on mandates (expires_at)
  where closed_at is null and expires_at is not null and approved_minor > 0;
create index mandates_merchant_open_expires_at_idx on mandates (merchant_id, expires_at)
  where closed_at is null and expires_at is not null and approved_minor > 0;
create index mandates_asking_agent_idx on mandates (merchant_id, session_id)
  where agent_id is not null and closed_at is null and launch_hash is not null;
create index mandates_preselected_vault_record_id_idx on mandates (preselected_vault_record_id, merchant_id)
  where preselected_vault_record_id is not null;
create index enrollments_open_expires_at_idx on enrollments (expires_at) where closed_at is null and session_version > 0;
create index enrollments_merchant_open_expires_at_idx on enrollments (merchant_id, expires_at)
  where closed_at is null and session_version > 0;
create index enrollments_preselected_vault_record_id_idx on enrollments (preselected_vault_record_id, merchant_id)
  where preselected_vault_record_id is not null;

alter table mandates
  add constraint mandates_approved_check check (
    (num_nulls(approval_hash, seal) = 0 and card_id is not null)
    or (num_nonnulls(approval_hash, seal) = 0 and activated_at is null)) not valid,
  add constraint mandates_vault_record_fkey
    foreign key (merchant_id, preselected_vault_record_id) references vault_records (merchant_id, id) not valid;
alter table enrollments
  alter column customer_id set not null,
  alter column integration_type set not null,
  alter column launch_hash set not null,
  alter column created_at set not null,
  alter column expires_at set not null,
  alter column session_version set not null,
  add constraint enrollments_ceremony_check check (ceremony = any ('{registration,assertion}')) not valid,
  add constraint enrollments_integration_type_check check (integration_type = any ('{full_checkout,embedding}')) not valid,
  add constraint enrollments_proof_check check (proof = any ('{entered,code}')) not valid,
  add constraint enrollments_proven_check check ((proven_card_id is null) = (proof is null)) not valid,
  add constraint enrollments_card_id_fkey foreign key (merchant_id, card_id) references cards (merchant_id, id) not valid,
  add constraint enrollments_vault_record_fkey
    foreign key (merchant_id, preselected_vault_record_id) references vault_records (merchant_id, id) not valid;
