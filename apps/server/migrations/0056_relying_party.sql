-- What:   a database knows for which relying party its passkeys are.
-- Why:    when RP_ID changed, no passkey worked any more, and nothing said so before cardholders did.
-- Impact: a new table of one row.
-- Compatible with the previous release: yes, it does not know the table.

create table relying_party (
  id boolean not null constraint relying_party_id_check check (id),
  rp_id text not null,
  constraint relying_party_pkey primary key (id)
);
