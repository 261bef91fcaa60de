-- What:   the foreign key from a card to its vault record is looked at when a transaction ends, not with each part of a statement.
-- Why:    a card and its record are made by one statement. A distributed PostgreSQL runs its parts one by one, the card first.
-- Impact: two short locks of `cards` and `vault_records`; the rows that are there are looked at by the next file.
-- Compatible with the previous release: yes.

alter table cards drop constraint cards_vault_record_id_fkey;

alter table cards add constraint cards_vault_record_id_fkey
  foreign key (merchant_id, vault_record_id) references vault_records (merchant_id, id) deferrable initially deferred not valid;
