-- What:   the session of a purchase is in the row of its charge; sessions hold what sets up a mandate or enrolls a card.
-- Why:    a purchase was two rows, created together and moved in step with each other by wide statements (ADR 0080).
-- Impact: charges of purchases are rewritten once, and five indexes are built; writers of charges and sessions wait for that.
-- Compatible with the previous release: no. Stop it first: it looks for sessions of purchases that are gone.
-- incompatible-with-previous

alter table charges
  add column customer_id text,
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
  -- Null: no cardholder has to do with this charge, or the session was deleted with its time.
  add column launch_hash bytea,
  add column expires_at timestamptz,
  add column extended_at timestamptz,
  add column closed_at timestamptz,
  -- Counts what the session itself tells; the version of the charge counts what the payment does.
  add column session_version integer,
  add column locale text,
  -- The agent that asked its owner for the purchase, which is no charge of the agent's own.
  add column asking_agent_id text,
  add column asking_agent_name text,
  add column asking_agent_seal bytea,
  -- Which answer is awaited, and what is signed with it, byte for byte.
  add column ceremony text,
  add column challenge text,
  add column nonce bytea,
  add column bound_text text,
  add column challenge_sign_count bigint,
  add column challenge_embedded boolean,
  add column challenge_expires_at timestamptz;

update charges set
  customer_id = s.customer_id, integration_type = s.integration_type, callback_url = s.callback_url, description = s.description,
  summary = s.summary, effective_minutes = s.effective_minutes, preselected_vault_record_id = s.preselected_vault_record_id,
  card_id = coalesce(charges.card_id, s.card_id), proven_card_id = s.proven_card_id, proof = s.proof, proof_seal = s.proof_seal,
  entry_id = s.entry_id, entry_once = s.entry_once, entry_keeping = s.entry_keeping, code_sent_at = s.code_sent_at,
  entry_new_codes = s.entry_new_codes, new_codes = s.new_codes, launch_hash = s.launch_hash, expires_at = s.expires_at,
  extended_at = s.extended_at, closed_at = s.closed_at, session_version = s.version, locale = s.locale,
  asking_agent_id = s.agent_id, asking_agent_name = s.agent_name, asking_agent_seal = s.agent_seal,
  ceremony = s.ceremony, challenge = s.challenge, nonce = s.nonce, bound_text = s.bound_text,
  challenge_sign_count = s.challenge_sign_count, challenge_embedded = s.challenge_embedded,
  challenge_expires_at = s.challenge_expires_at
from sessions s
where s.merchant_id = charges.merchant_id and s.kind = 'payment' and s.charge_id = charges.id and charges.opened_by = s.id;
delete from sessions where kind = 'payment';

-- A session is one charge, and found by its own id. Those that were deleted are no session any more.
create unique index charges_session_key on charges (merchant_id, opened_by) where launch_hash is not null;
-- Which sessions were not used in time: see the indexes over due work.
create index charges_open_expires_at_idx on charges (expires_at)
  where closed_at is null and expires_at is not null and amount_minor > 0;
create index charges_merchant_open_expires_at_idx on charges (merchant_id, expires_at)
  where closed_at is null and expires_at is not null and amount_minor > 0;
create index charges_asking_agent_idx on charges (merchant_id, opened_by)
  where asking_agent_id is not null and closed_at is null;
create index charges_preselected_vault_record_id_idx on charges (preselected_vault_record_id, merchant_id)
  where preselected_vault_record_id is not null;
alter table charges add constraint charges_vault_record_fkey
  foreign key (merchant_id, preselected_vault_record_id) references vault_records (merchant_id, id);

alter table sessions drop constraint sessions_subject_check, drop constraint sessions_kind_check;
alter table sessions drop column charge_id;
alter table sessions
  add constraint sessions_kind_check check (kind = any ('{mandate_setup,enrollment}')) not valid,
  add constraint sessions_subject_check check ((kind = 'mandate_setup') = (mandate_id is not null)) not valid;
