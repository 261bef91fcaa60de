-- What:   the user id of a passkey that was made at a shop's payment and opens an owner's wallet as well; an index that finds one by its id.
-- Why:    a person who comes to the wallet with such a passkey names no shop; and a browser says with it whose it was made for (ADR 0107).
-- Impact: a column without a value, which writes no row; an index of passkeys that sign, whose writers wait for it.
-- Compatible with the previous release: yes. It refuses such an owner's passkey wherever the browser says for whom it was made.

-- Null: it was made for this customer.
alter table passkeys add column user_handle bytea;
-- With operators that find an equal id and serve no order, as that of mandates.
create index passkeys_id_idx on passkeys (id text_pattern_ops) where retired_at is null;
