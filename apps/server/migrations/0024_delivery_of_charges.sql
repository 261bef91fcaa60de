-- What:   the shop that the card of an agent's charge goes to, and the checkout there.
-- Why:    an agent may ask for a shop's own token in place of a card.
-- Impact: two columns without a value.
-- Compatible with the previous release: yes, it makes no such charge, and its seals refuse one that it finds.

alter table charges
  add column delivery_shop_id text,
  add column delivery_session_id text,
  add constraint charges_delivery_check check (
    (delivery_shop_id is null) = (delivery_session_id is null) and (delivery_shop_id is null or agent_id is not null)) not valid;
