-- What:   the challenge that the cardholder of a session is asked to sign is in the session's own row; the last one asked for is the open one.
-- Why:    a row beside the session was inserted, changed and deleted for each of the two signatures of a payment.
-- Impact: columns without a default: no row is rewritten. A challenge that is open at this moment is asked for again, as after a crash.
-- Compatible with the previous release: no. Stop it first: it looks for challenges of sessions where they are not any more.

alter table sessions
  -- Which answer is awaited. Null: none, or it came.
  add column ceremony text constraint sessions_ceremony_check check (ceremony = any ('{registration,assertion}')),
  add column challenge text,
  add column nonce bytea,
  -- What is signed, byte for byte. Evidence keeps its own copy.
  add column bound_text text,
  -- Of the passkey that may answer, as it was then.
  add column challenge_sign_count bigint,
  add column challenge_embedded boolean,
  add column challenge_expires_at timestamptz;

delete from passkey_challenges where subject_type = 'session';
alter table passkey_challenges drop constraint passkey_challenges_subject_type_check,
  add constraint passkey_challenges_subject_type_check check (subject_type = any
    ('{agent_link,agent_limits,escalation,owner_visit,card_removal,permission,permissions_visit}'));
