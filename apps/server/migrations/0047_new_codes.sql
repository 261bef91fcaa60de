-- What:   how many new codes the cardholder of a session has asked for, and when the last code was sent; at the simulated network, which
--         code of a card is the right one.
-- Why:    a code that does not come is asked for anew, a few times and not in a row, and a new code ends the one before.
-- Impact: columns with a constant default: no row is rewritten.
-- Compatible with the previous release: yes, it reads the columns it knows by name.
alter table sessions add column code_sent_at timestamptz, add column entry_new_codes integer not null default 0,
  add column new_codes integer not null default 0;
alter table simnet.tokens add column code_number integer not null default 0;
alter table simnet.step_ups add column code_number integer not null default 0;
